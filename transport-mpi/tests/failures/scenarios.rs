//! Programs that go wrong, and what their jobs say.

use maniple_core::{Blocks, Comm, CommError, RecvFrom, SendTo};

/// One job.
#[derive(Clone, Copy)]
pub(crate) struct Scenario {
    pub(crate) name: &'static str,
    pub(crate) ranks: usize,
    /// Are calls compared?
    pub(crate) checked: bool,
    pub(crate) program: fn(&Comm) -> Result<(), CommError>,
    /// Does each process run it again, after its first run?
    pub(crate) again: bool,
    pub(crate) fails: bool,
    /// What the job says, each exactly once.
    pub(crate) says: fn() -> Vec<String>,
}

macro_rules! scenarios {
    ($($name:ident on $ranks:literal $($flag:ident)*: $($says:expr),*;)+) => {
        pub(crate) fn all() -> Vec<Scenario> {
            vec![$(scenarios!(one $name $ranks [$($flag)*] [$($says),*])),+]
        }
    };
    (one $name:ident $ranks:literal [$($flag:ident)*] [$($says:expr),*]) => {{
        let plain = Scenario {
            name: stringify!($name), ranks: $ranks, checked: false, program: $name, again: false, fails: false,
            says: || vec![$($says.to_string()),*],
        };
        Scenario { $($flag: true,)* ..plain }
    }};
}

/// Where the line is that ends in the comment `// <name>`.
fn at(name: &str) -> String {
    let mark = format!("// <{name}>");
    let line = include_str!("scenarios.rs").lines().position(|line| line.ends_with(&mark));
    format!("{}:{}", file!(), line.unwrap_or_else(|| panic!("no line is marked {name}")) + 1)
}

scenarios! {
    succeeds on 3: "the sum is 3";
    nothing_at_all on 3: ;
    first_panics on 4 fails: format!("maniple: rank 0: panicked at {}", at("first")), "rank 0 can't go on";
    last_panics on 4 fails: format!("maniple: rank 3: panicked at {}", at("last")), "rank 3 can't go on";
    all_panic on 4 fails: format!("panicked at {}", at("all")), "nobody can go on";
    panics_in_a_part on 4 fails: format!("maniple: rank 3: panicked at {}", at("part")), "rank 1 of the part";
    panics_in_a_visit on 3 fails: format!("maniple: rank 1: panicked at {}", at("visit")), "unsightly";
    panics_while_messages_travel on 3 fails: format!("maniple: rank 1: panicked at {}", at("overlap")), "overlapped";
    panics_without_words on 2 fails: format!("maniple: rank 1: panicked at {}", at("wordless"));
    error_on_one_rank on 4 fails: "maniple: rank 3: can't start the ranks: no input";
    error_on_all_ranks on 4 fails: "can't start the ranks: no input";
    returns_early on 3 fails: "maniple: rank 1: has returned, but rank", "waits for it in a collective";
    returns_early_from_a_part on 4 fails: "maniple: rank 2: has returned, but rank 3 waits for it";
    gives_up on 3 fails: "maniple: rank 2: out of patience";
    reenters on 3 fails: format!("calls barrier at {} from inside exchange::<u8> at {}", at("inner"), at("outer"));
    outlives on 2 fails: "a communicator outlives the program that it was given to";
    twice_at_once on 2 fails: "MPI is initialised already, and can be only once in a process";
    twice_in_a_row on 1 fails again: "MPI is initialised already, and can be only once in a process";
    too_few_counts on 3 fails: format!("maniple: rank 1: rank 1: 2 blocks for 3 ranks: all_to_all_v::<u64> at {}", at("few"));
    too_many_counts on 3 fails: format!("maniple: rank 1: rank 1: 4 blocks for 3 ranks: exchange::<u64> at {}", at("many"));
    block_past_the_end on 3 fails: format!("block 2 ends at 9, past the 3 elements of the buffer: all_gather_v::<u64> at {}", at("end"));
    a_message_too_short on 2 fails: format!("maniple: rank 1: rank 0 sends 2 to rank 1, which expects 3: exchange_with::<u64> at {}", at("short"));
    a_message_too_long on 2 fails: "maniple: rank 1: MPI_Waitall failed:";
    different_calls on 3 fails checked: format!(
        "ranks are in different collectives: ranks 0, 2: barrier at {}; rank 1: all_gather::<u64> len 1 at {}",
        at("barrier"), at("all_gather")
    );
    different_types on 3 fails checked: format!(
        "ranks are in different collectives: ranks 0, 1: all_gather::<u32> len 1 at {}; rank 2: all_gather::<i32> len 1 at {}",
        at("u32"), at("i32")
    );
    different_roots on 3 fails checked: format!(
        "ranks are in different collectives: rank 0: bcast::<u8> len 2 root 0 at {0}; rank 1: bcast::<u8> len 2 root 1 at {0}; \
         rank 2: bcast::<u8> len 2 root 2 at {0}",
        at("root")
    );
    different_lengths on 2 fails checked: format!("rank 0: all_gather::<f64> len 2 in all_reduce at {}; rank 1: all_gather::<f64> len 3 at {}", at("reduce"), at("gather"));
    different_counts on 3 fails checked: format!("rank 0 sends 1 to rank 2, which expects 2: all_to_all_v::<u64> at {}", at("counts"));
    refused_by_one on 3 fails checked: format!("rank 1: 2 blocks for 3 ranks: all_to_all_v::<u64> at {}", at("few"));
    a_message_too_many on 3 fails checked: format!("rank 0 sends a message to rank 2, which expects none: exchange_with::<u8> at {}", at("mail"));
    a_message_too_few on 3 fails checked: format!("rank 1 expects a message from rank 0, which sends none: exchange_with::<u8> at {}", at("none"));
    reenters_checked on 3 fails checked: format!("rank 0 calls barrier at {} from inside exchange::<u8> at {}", at("inner"), at("outer"));
    goes_on_after_errors on 3 checked: "went on";
}

fn succeeds(comm: &Comm) -> Result<(), CommError> {
    let sum = comm.all_reduce_value(comm.rank(), |a, b| a + b)?;
    if comm.rank() == 0 {
        println!("the sum is {sum}");
    }
    Ok(())
}

/// Empty vectors have equal addresses, which one library takes for aliasing buffers.
fn nothing_at_all(comm: &Comm) -> Result<(), CommError> {
    let p = comm.size();
    let none = Blocks::packed(vec![0; p]);
    let nothing: Vec<u64> = Vec::new();
    let mut into: Vec<u64> = Vec::new();
    comm.all_to_all_v_into(&nothing, &none, &mut into, &none)?;
    comm.all_gather_v_into(&nothing, &mut into, &none)?;
    assert_eq!(comm.all_to_all_v(&nothing, &none)?.0, []);
    assert_eq!(comm.all_gather_v(&nothing)?.0, []);
    assert_eq!(comm.exchange(&nothing, &none, |parts| parts.concat())?, []);
    assert_eq!(comm.all_gather(&nothing)?, []);
    comm.bcast(0, &mut into)
}

fn first_panics(comm: &Comm) -> Result<(), CommError> {
    if comm.rank() == 0 {
        panic!("rank {} can't go on", comm.rank()); // <first>
    }
    comm.barrier()
}

fn last_panics(comm: &Comm) -> Result<(), CommError> {
    comm.barrier()?;
    if comm.rank() == comm.size() - 1 {
        panic!("rank {} can't go on", comm.rank()); // <last>
    }
    comm.all_gather_value(1).map(drop)
}

fn all_panic(comm: &Comm) -> Result<(), CommError> {
    comm.barrier()?;
    panic!("nobody can go on"); // <all>
}

fn panics_in_a_part(comm: &Comm) -> Result<(), CommError> {
    let part = comm.split(Some(comm.rank() as u32 % 2), 0)?.expect("every rank gives a color");
    if comm.rank() == 3 {
        panic!("rank {} of the part", part.rank()); // <part>
    }
    part.barrier()?;
    comm.barrier()
}

fn panics_in_a_visit(comm: &Comm) -> Result<(), CommError> {
    comm.exchange(&[0_u8], &Blocks::whole(1, comm.size()), |_| {
        assert!(comm.rank() != 1, "unsightly"); // <visit>
    })?;
    comm.barrier()
}

/// MPI writes into buffers that unwinding would free.
fn panics_while_messages_travel(comm: &Comm) -> Result<(), CommError> {
    let (me, p) = (comm.rank(), comm.size());
    let data = vec![me as u64; 100_000];
    let mut into = vec![0; data.len()];
    let recvs = vec![RecvFrom::new((me + p - 1) % p, &mut into)];
    comm.exchange_with(&[SendTo::new((me + 1) % p, &data)], recvs, || {
        assert!(me != 1, "overlapped"); // <overlap>
    })?;
    comm.barrier()
}

fn panics_without_words(comm: &Comm) -> Result<(), CommError> {
    if comm.rank() == 1 {
        std::panic::panic_any(1_u8); // <wordless>
    }
    comm.barrier()
}

fn no_input() -> CommError {
    CommError::Start { why: "no input".to_string() }
}

fn error_on_one_rank(comm: &Comm) -> Result<(), CommError> {
    if comm.rank() == 3 {
        return Err(no_input());
    }
    comm.barrier()
}

fn error_on_all_ranks(comm: &Comm) -> Result<(), CommError> {
    comm.barrier()?;
    Err(no_input())
}

fn returns_early(comm: &Comm) -> Result<(), CommError> {
    if comm.rank() == 1 {
        return Ok(());
    }
    comm.all_gather_value(comm.rank()).map(drop)
}

/// The ranks of the other part have nothing to complain of.
fn returns_early_from_a_part(comm: &Comm) -> Result<(), CommError> {
    let part = comm.split(Some(comm.rank() as u32 / 2), 0)?.expect("every rank gives a color");
    if comm.rank() == 3 {
        part.barrier()?;
    }
    Ok(())
}

fn gives_up(comm: &Comm) -> Result<(), CommError> {
    if comm.rank() == 2 {
        comm.fail("out of patience");
    }
    comm.barrier()
}

fn reenters(comm: &Comm) -> Result<(), CommError> {
    let whole = Blocks::whole(1, comm.size());
    let inner = || comm.barrier(); // <inner>
    let visit = |_: &[&[u8]]| {
        if comm.rank() == 0 {
            inner().expect_err("it is inside another");
        }
    };
    comm.exchange(&[0_u8], &whole, visit)?; // <outer>
    comm.barrier()
}

fn outlives(comm: &Comm) -> Result<(), CommError> {
    std::mem::forget(comm.duplicate()?);
    Ok(())
}

fn twice_at_once(_: &Comm) -> Result<(), CommError> {
    maniple_mpi::run(|_| Ok::<_, CommError>(()))
}

fn twice_in_a_row(_: &Comm) -> Result<(), CommError> {
    Ok(())
}

/// Counts from rank 1 that are too few are refused before MPI reads past them.
fn too_few_counts(comm: &Comm) -> Result<(), CommError> {
    let counts = if comm.rank() == 1 { vec![1; 2] } else { vec![1; 3] };
    comm.all_to_all_v(&[0_u64; 3], &Blocks::packed(counts)).map(drop) // <few>
}

fn too_many_counts(comm: &Comm) -> Result<(), CommError> {
    let counts = if comm.rank() == 1 { vec![1; 4] } else { vec![1; 3] };
    comm.exchange(&[0_u64; 4], &Blocks::packed(counts), |_| ()) // <many>
}

fn block_past_the_end(comm: &Comm) -> Result<(), CommError> {
    let blocks = Blocks::packed(vec![1, 1, 7]);
    comm.all_gather_v_into(&[0_u64], &mut [0; 3], &blocks) // <end>
}

fn a_message_of(comm: &Comm, sent: usize, expected: usize) -> Result<(), CommError> {
    let data = vec![7_u64; sent];
    if comm.rank() == 0 {
        return comm.exchange_with(&[SendTo::new(1, &data)], vec![], || ());
    }
    let mut into = vec![0_u64; expected];
    comm.exchange_with(&[], vec![RecvFrom::new(0, &mut into)], || ()) // <short>
}

fn a_message_too_short(comm: &Comm) -> Result<(), CommError> {
    a_message_of(comm, 2, 3)
}

fn a_message_too_long(comm: &Comm) -> Result<(), CommError> {
    a_message_of(comm, 3, 2)
}

fn different_calls(comm: &Comm) -> Result<(), CommError> {
    if comm.rank() == 1 {
        return comm.all_gather(&[1_u64]).map(drop); // <all_gather>
    }
    comm.barrier() // <barrier>
}

fn different_types(comm: &Comm) -> Result<(), CommError> {
    if comm.rank() == 2 {
        return comm.all_gather(&[1_i32]).map(drop); // <i32>
    }
    comm.all_gather(&[1_u32]).map(drop) // <u32>
}

fn different_roots(comm: &Comm) -> Result<(), CommError> {
    comm.bcast(comm.rank(), &mut [0_u8; 2]) // <root>
}

fn different_lengths(comm: &Comm) -> Result<(), CommError> {
    match comm.rank() {
        0 => comm.all_reduce(&[1.0, 2.0], f64::max), // <reduce>
        _ => comm.all_gather(&[1.0, 2.0, 3.0]),      // <gather>
    }
    .map(drop)
}

fn different_counts(comm: &Comm) -> Result<(), CommError> {
    let (data, sends) = ([0_u64; 3], Blocks::packed(vec![1; 3]));
    let recvs = Blocks::packed(if comm.rank() == 2 { vec![2, 1, 1] } else { vec![1; 3] });
    let mut into = vec![0; recvs.total()];
    comm.all_to_all_v_into(&data, &sends, &mut into, &recvs) // <counts>
}

fn refused_by_one(comm: &Comm) -> Result<(), CommError> {
    too_few_counts(comm)
}

fn a_message_too_many(comm: &Comm) -> Result<(), CommError> {
    let sends = [SendTo::new(2, &[1_u8])];
    let sends = if comm.rank() == 0 { &sends[..] } else { &[] };
    comm.exchange_with(sends, vec![], || ()) // <mail>
}

fn a_message_too_few(comm: &Comm) -> Result<(), CommError> {
    let mut into = [0_u8];
    let recvs = if comm.rank() == 1 { vec![RecvFrom::new(0, &mut into)] } else { vec![] };
    comm.exchange_with(&[], recvs, || ()) // <none>
}

fn reenters_checked(comm: &Comm) -> Result<(), CommError> {
    reenters(comm)
}

fn goes_on_after_errors(comm: &Comm) -> Result<(), CommError> {
    different_calls(comm).expect_err("not the same call");
    different_counts(comm).expect_err("not the same counts");
    refused_by_one(comm).expect_err("not as many blocks as ranks");
    a_message_too_few(comm).expect_err("no such message");
    let all = comm.all_gather_value(comm.rank())?;
    if comm.rank() == 0 && all == [0, 1, 2] {
        println!("went on");
    }
    Ok(())
}
