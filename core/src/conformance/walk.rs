//! A random walk through the collectives, with the right result of each known from rank and step alone.

use crate::blocks::Blocks;
use crate::comm::{Comm, RecvFrom, SendTo};
use crate::error::CommError;

use super::sample::{Sample, assert_same, message, mix};

/// 1, 5, 7: a thousand small collectives of random kinds, types, lengths and roots follow each other without mixing.
pub(super) fn thousand_small_collectives(comm: &Comm) {
    walk(comm, 1, 1000, &mut |_| Ok(())).unwrap();
}

/// `steps` random collectives of `comm`, and of communicators made from it, the same on every rank for the same `seed`.
///
/// Each result is compared with what it must be. `before` runs ahead of each step, and inside visits and overlaps, with the
/// number of calls of it so far: a test may fail there in any way it likes.
///
/// # Errors
/// The first error of a collective, or of `before`.
///
/// # Panics
/// If a collective has a wrong result.
pub fn walk(
    comm: &Comm,
    seed: u64,
    steps: usize,
    before: &mut dyn FnMut(usize) -> Result<(), CommError>,
) -> Result<(), CommError> {
    let mut calls = 0;
    let mut tick = || {
        calls += 1;
        before(calls - 1)
    };
    walk_in(comm, seed, steps, &mut tick)
}

type Tick<'a> = &'a mut dyn FnMut() -> Result<(), CommError>;

fn walk_in(comm: &Comm, seed: u64, steps: usize, tick: Tick<'_>) -> Result<(), CommError> {
    for step in 0..steps as u64 {
        let dice = mix(seed ^ mix(step));
        tick()?;
        match dice >> 8 & 3 {
            0 => one_step::<u8>(comm, dice, tick)?,
            1 => one_step::<u64>(comm, dice, tick)?,
            2 => one_step::<u128>(comm, dice, tick)?,
            _ => one_step::<[u8; 3]>(comm, dice, tick)?,
        }
    }
    Ok(())
}

fn one_step<T: Sample>(comm: &Comm, dice: u64, tick: Tick<'_>) -> Result<(), CommError> {
    let (p, me) = (comm.size(), comm.rank());
    let root = (dice >> 16) as usize % p;
    let n = (dice >> 32) as usize % 9;
    let count = |from: usize, to: usize| mix(dice ^ (from * p + to) as u64) as usize % 6;
    let of = |from: usize, to: usize| message::<T>(from, to ^ dice as usize, count(from, to));
    let same = |from: usize| message::<T>(from, dice as usize, n);
    let concat = |parts: &dyn Fn(usize) -> Vec<T>| Vec::from_iter((0..p).flat_map(parts));
    let blocks = || Blocks::packed((0..p).map(|to| count(me, to)).collect());
    match dice % 14 {
        0 => comm.barrier()?,
        1 => {
            let mut values = same(me);
            comm.bcast(root, &mut values)?;
            assert_same(&values, &same(root));
        }
        2 => assert_same(&comm.all_gather(&same(me))?, &concat(&same)),
        3 => assert_same(&comm.all_gather_v(&of(me, 0))?.0, &concat(&|r| of(r, 0))),
        4 => {
            let all = comm.gather_v(root, &of(me, root))?;
            assert_eq!(all.is_some(), me == root);
            all.iter().for_each(|(all, _)| assert_same(all, &concat(&|r| of(r, root))));
        }
        5 => {
            let (values, blocks) = (concat(&|to| of(root, to)), (0..p).map(|to| count(root, to)).collect());
            assert_same(&comm.scatter_v(root, &values, &Blocks::packed(blocks))?, &of(root, me));
        }
        6 => {
            let sent = Vec::from_iter((0..p).flat_map(|to| message::<T>(me, to, n)));
            assert_same(&comm.all_to_all(&sent)?, &concat(&|from| message(from, me, n)));
        }
        7 | 8 => {
            let (all, _) = comm.all_to_all_v(&concat(&|to| of(me, to)), &blocks())?;
            assert_same(&all, &concat(&|from| of(from, me)));
        }
        9 | 10 => {
            let ticked = comm.exchange(&concat(&|to| of(me, to)), &blocks(), |parts: &[&[T]]| {
                let ticked = tick();
                parts.iter().enumerate().for_each(|(from, part)| assert_same(part, &of(from, me)));
                ticked
            })?;
            ticked?;
        }
        11 => {
            let step = 1 + root;
            let (to, from) = ((me + step) % p, (me + p - step) % p);
            let (data, mut recv) = (of(me, to), vec![T::sample(0); count(from, me)]);
            comm.exchange_with(&[SendTo::new(to, &data)], vec![RecvFrom::new(from, &mut recv)], tick)??;
            assert_same(&recv, &of(from, me));
        }
        12 => {
            let numbers = |r: usize| Vec::from_iter((0..n as u64).map(|k| mix(dice ^ k ^ (r as u64) << 32)));
            let op = |a: u64, b: u64| a.wrapping_mul(31).wrapping_add(b);
            let sum =
                |ranks: std::ops::RangeInclusive<usize>, k: usize| ranks.map(|r| numbers(r)[k]).reduce(op);
            let found = comm.scan(&numbers(me), op)?;
            let total = comm.all_reduce(&numbers(me), op)?;
            for k in 0..n {
                assert_eq!((Some(found[k]), Some(total[k])), (sum(0..=me, k), sum(0..=p - 1, k)));
            }
        }
        _ => {
            let color = |r: usize| mix(dice ^ r as u64) % 4;
            let part = comm.split((color(me) < 3).then_some(color(me) as u32), -(me as i64))?;
            let Some(part) = part else { return Ok(()) };
            let expected = Vec::from_iter((0..p).rev().filter(|&r| color(r) == color(me)));
            assert_eq!(part.all_gather_value(me)?, expected);
            walk_in(&part, dice ^ color(me), 2, tick)?;
        }
    }
    Ok(())
}
