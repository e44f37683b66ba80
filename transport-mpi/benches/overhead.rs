//! What `Comm` costs over the same exchange written directly against MPI, with the same buffers.
//!
//! ```text
//! cargo bench -p maniple-mpi --no-run          # prints the program
//! mpirun -n 2 PROGRAM [all_to_all_v | neighbours]
//! ```
//!
//! Both ways take turns, many calls at a time; the table gives medians over the rounds.
#![allow(unsafe_code)] // the direct way

use std::cell::RefCell;
use std::ffi::c_int;
use std::mem::MaybeUninit;
use std::time::Instant;

use maniple_core::{Blocks, Comm, CommError, RecvFrom, SendTo};
use mpi::ffi::*;

/// Elements in each message: 8 bytes to 64 MiB.
const ELEMENTS: [usize; 13] =
    [1, 8, 64, 512, 1 << 10, 1 << 11, 1 << 13, 1 << 15, 1 << 17, 1 << 19, 1 << 20, 1 << 21, 1 << 23];
const ROUNDS: usize = 21;
/// The calls of one round and way take about so long.
const ROUND: f64 = 2e-3;

fn main() -> Result<(), CommError> {
    let only = std::env::args().skip(1).find(|a| !a.starts_with('-'));
    maniple_mpi::run(|comm| {
        assert!(
            comm.size() > 1,
            "more than one rank, under the launcher of {}",
            maniple_mpi::library_version()
        );
        if comm.rank() == 0 {
            println!("{} ranks, {}", comm.size(), maniple_mpi::library_version());
            println!(
                "{:<14} {:>9} {:>12} {:>12} {:>7} {:>9}",
                "", "bytes", "direct", "Comm", "ratio", "more"
            );
        }
        for (name, bench) in
            [("all_to_all_v", all_to_all_v as fn(&Comm, usize) -> _), ("neighbours", neighbours)]
        {
            if only.as_ref().is_none_or(|only| only == name) {
                for n in ELEMENTS {
                    let (direct, ours) = bench(comm, n)?;
                    if comm.rank() == 0 {
                        println!(
                            "{name:<14} {:>9} {:>9.2} us {:>9.2} us {:>7.3} {:>6.0} ns",
                            8 * n,
                            1e6 * direct,
                            1e6 * ours,
                            ours / direct,
                            1e9 * (ours - direct)
                        );
                    }
                }
            }
        }
        Ok(())
    })
}

/// Medians of seconds per call, the direct way and through `Comm`. All ranks give the same.
type Medians = Result<(f64, f64), CommError>;

fn all_to_all_v(comm: &Comm, n: usize) -> Medians {
    let p = comm.size();
    let send = vec![comm.rank() as u64; n * p];
    let blocks = Blocks::packed(vec![n; p]);
    let counts = vec![n as c_int; p];
    let displs: Vec<c_int> = (0..p).map(|r| (r * n) as c_int).collect();
    let into = RefCell::new(vec![0_u64; n * p]); // the same for both: another place in memory may be another speed
    let direct = || {
        // SAFETY: one count per rank, all blocks inside the buffers, which are distinct.
        let code = unsafe {
            MPI_Alltoallv(
                send.as_ptr().cast(),
                counts.as_ptr(),
                displs.as_ptr(),
                RSMPI_UINT64_T,
                into.borrow_mut().as_mut_ptr().cast(),
                counts.as_ptr(),
                displs.as_ptr(),
                RSMPI_UINT64_T,
                RSMPI_COMM_WORLD,
            )
        };
        assert_eq!(code, 0);
        Ok(())
    };
    let medians =
        in_turns(comm, direct, || comm.all_to_all_v_into(&send, &blocks, &mut into.borrow_mut(), &blocks))?;
    assert_eq!(into.borrow()[n * p - 1], p as u64 - 1);
    Ok(medians)
}

/// To the next rank, from the one before.
fn neighbours(comm: &Comm, n: usize) -> Medians {
    let (me, p) = (comm.rank(), comm.size());
    let (to, from) = ((me + 1) % p, (me + p - 1) % p);
    let send = vec![me as u64; n];
    let into = RefCell::new(vec![0_u64; n]);
    let mut statuses = [MaybeUninit::<MPI_Status>::uninit(); 2];
    let direct = || {
        // SAFETY: a constant of the library.
        let mut requests = unsafe { [RSMPI_REQUEST_NULL; 2] };
        let bytes = 8 * n as c_int;
        // SAFETY: both buffers are `bytes` long, distinct, and outlive the wait.
        let codes = unsafe {
            let into = into.borrow_mut().as_mut_ptr().cast();
            [
                MPI_Irecv(into, bytes, RSMPI_UINT8_T, from as c_int, 7, RSMPI_COMM_WORLD, &mut requests[0]),
                MPI_Isend(
                    send.as_ptr().cast(),
                    bytes,
                    RSMPI_UINT8_T,
                    to as c_int,
                    7,
                    RSMPI_COMM_WORLD,
                    &mut requests[1],
                ),
                MPI_Waitall(2, requests.as_mut_ptr(), statuses.as_mut_ptr().cast()),
            ]
        };
        assert_eq!(codes, [0; 3]);
        Ok(())
    };
    let medians = in_turns(comm, direct, || {
        comm.exchange_with(
            &[SendTo::new(to, &send)],
            vec![RecvFrom::new(from, &mut into.borrow_mut())],
            || (),
        )
    })?;
    assert_eq!(into.borrow()[n - 1], from as u64);
    Ok(medians)
}

fn in_turns(
    comm: &Comm,
    mut direct: impl FnMut() -> Result<(), CommError>,
    mut ours: impl FnMut() -> Result<(), CommError>,
) -> Medians {
    let once = seconds(comm, 3, &mut direct)?;
    let calls = ((ROUND / once) as usize).clamp(1, 5000);
    let (mut of_direct, mut of_ours) = (vec![], vec![]);
    for _ in 0..ROUNDS {
        of_direct.push(seconds(comm, calls, &mut direct)?);
        of_ours.push(seconds(comm, calls, &mut ours)?);
    }
    Ok((median(of_direct), median(of_ours)))
}

/// Per call, on the slowest rank.
fn seconds(
    comm: &Comm,
    calls: usize,
    run: &mut impl FnMut() -> Result<(), CommError>,
) -> Result<f64, CommError> {
    run()?;
    comm.barrier()?;
    let begin = Instant::now();
    for _ in 0..calls {
        run()?;
    }
    comm.all_reduce_value(begin.elapsed().as_secs_f64() / calls as f64, f64::max)
}

fn median(mut seconds: Vec<f64>) -> f64 {
    seconds.sort_by(f64::total_cmp);
    seconds[seconds.len() / 2]
}
