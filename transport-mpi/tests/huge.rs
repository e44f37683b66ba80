//! Messages beyond 2 GiB for real: 2^31 + 16 bytes between two ranks, as bytes and as 2^28 + 2 words.
//!
//! It needs much memory and some seconds, so it runs only with `MANIPLE_HUGE=1`. Started plainly it starts itself on two ranks.

mod support;

use std::process::ExitCode;
use std::time::{Duration, Instant};

use maniple_core::{Blocks, Comm, CommError, Element, RecvFrom, SendTo, memory};

/// More than MPI can count.
const BYTES: usize = (1 << 31) + 16;
/// Both ranks hold such a message, the library holds parts of it in between, and rank 0 has one to send besides.
const NEEDED: usize = 4 * BYTES;
const LIMIT: Duration = Duration::from_secs(300);
const INSIDE: &str = "MANIPLE_HUGE_RANK";

fn main() -> ExitCode {
    if std::env::var_os(INSIDE).is_some() {
        return match maniple_mpi::run(messages) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => panic!("{error}"),
        };
    }
    if std::env::var("MANIPLE_HUGE").as_deref() != Ok("1") {
        println!("SKIPPED: messages beyond 2 GiB; MANIPLE_HUGE=1 sends them");
        return ExitCode::SUCCESS;
    }
    let free = available();
    if free < NEEDED {
        println!("SKIPPED: messages beyond 2 GiB; they need {NEEDED} bytes of memory, {free} are free");
        return ExitCode::SUCCESS;
    }
    let job = support::job(&support::launcher(), 2, &[(INSIDE, "1")], LIMIT);
    print!("{}", job.output);
    assert!(job.status.success(), "ended with {}", job.status);
    assert!(job.output.contains("all huge messages have arrived"), "on two ranks");
    ExitCode::SUCCESS
}

fn available() -> usize {
    let facts = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let line = facts.lines().find_map(|line| line.strip_prefix("MemAvailable:"));
    let kilobytes = line.and_then(|l| l.trim().trim_end_matches("kB").trim().parse::<usize>().ok());
    kilobytes.map_or(0, |n| n << 10)
}

fn messages(comm: &Comm) -> Result<(), CommError> {
    assert_eq!(comm.size(), 2, "two ranks of one job");
    // A period that divides no power of two, so that a piece in a wrong place is seen.
    let bytes: Vec<u8> = (0..1_000_003_u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    let words: Vec<u64> = (0..1_000_003).map(|i: u64| i.wrapping_mul(0x9e37_79b9_7f4a_7c15)).collect();
    all(comm, &bytes, BYTES)?;
    all(comm, &words, BYTES / 8)?;
    if comm.rank() == 0 {
        println!("all huge messages have arrived");
    }
    Ok(())
}

/// `n` elements that repeat `pattern`, through each kind of collective.
fn all<T: Element + PartialEq + Default>(comm: &Comm, pattern: &[T], n: usize) -> Result<(), CommError> {
    let mut huge = if comm.rank() == 0 { repeated(pattern, n) } else { zeros(n) };
    let name = std::any::type_name::<T>();
    step(comm, &format!("exchange_with::<{name}>"), || {
        let (mut sends, mut recvs) = (vec![], vec![]);
        match comm.rank() {
            0 => sends.push(SendTo::new(1, &huge)),
            _ => recvs.push(RecvFrom::new(0, &mut huge)),
        }
        comm.exchange_with(&sends, recvs, || ())
    })?;
    check(&mut huge, pattern, comm.rank() == 1);

    step(comm, &format!("bcast::<{name}>"), || comm.bcast(0, &mut huge))?;
    check(&mut huge, pattern, comm.rank() == 1);

    step(comm, &format!("all_to_all_v::<{name}>"), || {
        let sends = Blocks::packed(if comm.rank() == 0 { vec![0, n] } else { vec![1, 0] });
        let mut one = [T::default()];
        match comm.rank() {
            0 => {
                let recvs = Blocks::packed(vec![0, 1]);
                comm.all_to_all_v_into(&huge, &sends, &mut one, &recvs)?;
                assert!(one == pattern[5..6], "one element the other way");
                Ok(())
            }
            _ => comm.all_to_all_v_into(&pattern[5..6], &sends, &mut huge, &Blocks::packed(vec![n, 0])),
        }
    })?;
    check(&mut huge, pattern, comm.rank() == 1);

    let sent = if comm.rank() == 0 { std::mem::take(&mut huge) } else { pattern[7..9].to_vec() };
    let mut gathered = if comm.rank() == 0 { zeros(n + 2) } else { std::mem::take(&mut huge) };
    gathered.resize(n + 2, T::default());
    step(comm, &format!("all_gather_v::<{name}>"), || {
        comm.all_gather_v_into(&sent, &mut gathered, &Blocks::packed(vec![n, 2]))
    })?;
    assert!(gathered[n..] == pattern[7..9], "what follows the huge block");
    check(&mut gathered[..n], pattern, true);
    Ok(())
}

fn step(comm: &Comm, what: &str, run: impl FnOnce() -> Result<(), CommError>) -> Result<(), CommError> {
    comm.barrier()?;
    let begin = Instant::now();
    run()?;
    comm.barrier()?;
    if comm.rank() == 0 {
        println!("{what}: {BYTES} bytes in {:?}", begin.elapsed());
    }
    Ok(())
}

/// Does it repeat the pattern? Then it is made zero for the next one, where it `came` from another rank.
fn check<T: Element + PartialEq + Default>(values: &mut [T], pattern: &[T], came: bool) {
    for (i, part) in values.chunks(pattern.len()).enumerate() {
        assert!(part == &pattern[..part.len()], "period {i} has not arrived as it was sent");
    }
    if came {
        values.fill(T::default());
    }
}

fn repeated<T: Copy>(pattern: &[T], n: usize) -> Vec<T> {
    let mut values = memory::with_capacity(n);
    while values.len() < n {
        values.extend_from_slice(&pattern[..pattern.len().min(n - values.len())]);
    }
    values
}

fn zeros<T: Copy + Default>(n: usize) -> Vec<T> {
    let mut values = memory::with_capacity(n + 2); // two more are asked for at last, and are not to move it all
    values.resize(n, T::default());
    values
}
