use maniple_core::*;
fn main() {
    let what = std::env::args().nth(1).unwrap_or_default();
    let r = maniple_mpi::run(|comm| -> Result<(), CommError> {
        let p = comm.size();
        if comm.rank() == 0 { eprintln!("{} on {p}", maniple_mpi::library_version().lines().next().unwrap_or("")); }
        match what.as_str() {
            "panic" => { if comm.rank() == p - 1 { panic!("boom"); } comm.barrier()?; }
            "return" => { if comm.rank() == p - 1 { return Ok(()); } comm.barrier()?; }
            "subreturn" => { let s = comm.split(Some(comm.rank() as u32 % 2), 0)?.unwrap(); if comm.rank() == p - 1 { return Ok(()); } s.barrier()?; s.barrier()?; }
            "err" => { if comm.rank() == p - 1 { return Err(CommError::Start { why: "my file".into() }); } comm.barrier()?; }
            "mismatch" => { if comm.rank() == p - 1 { comm.all_gather(&[1u64])?; } else { comm.barrier()?; } }
            "root" => { comm.bcast(comm.rank() + 1, &mut [1u8])?; }
            _ => {}
        }
        let v = comm.all_gather_value(comm.rank() as u64)?;
        assert!(v.iter().enumerate().all(|(i, &x)| i as u64 == x));
        let s = comm.all_to_all(&vec![comm.rank() as u64; comm.size()])?;
        assert!(s.iter().enumerate().all(|(i, &x)| i as u64 == x));
        let sum = comm.all_reduce(&[1u64; 20000], |a, b| a + b)?;
        assert!(sum.iter().all(|&x| x == comm.size() as u64));
        let big = comm.ex_scan(&[1u64; 20000], |a, b| a + b)?;
        if let Some(b) = big { assert!(b.iter().all(|&x| x == comm.rank() as u64)); } else { assert_eq!(comm.rank(), 0) }
        let sub = comm.split(Some((comm.rank() % 2) as u32), -(comm.rank() as i64))?.unwrap();
        let v = sub.all_gather_value(comm.rank())?;
        assert!(v.is_sorted_by(|a, b| a > b));
        let g = comm.gather_v(p - 1, &vec![comm.rank() as u16; comm.rank()])?;
        assert_eq!(g.is_some(), comm.rank() == p - 1);
        let mut x = vec![[7u8; 3]; 1000]; if comm.rank() == 0 { x = vec![[1, 2, 3]; 1000]; }
        comm.bcast(0, &mut x)?;
        assert!(x.iter().all(|y| *y == [1, 2, 3]));
        let e = comm.all_gather_v::<u8>(&[])?;
        assert!(e.0.is_empty());
        let (all, b) = comm.all_to_all_v(&(0..p * 10).map(|i| i as u32).collect::<Vec<_>>(), &Blocks::even(p * 10, p))?;
        assert_eq!(b.counts(), vec![10; p]); assert_eq!(all.len(), 10 * p);
        Ok(())
    });
    println!("ok {r:?}");
}
