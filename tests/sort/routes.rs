//! Which way a sort goes, seen by what it sends.

use maniple::prelude::*;
use maniple::{Blocks, Metered};
use maniple_kernels::Order;
use maniple_kernels::patterns::Pattern;
use maniple_sort::Sort;

use crate::support::{each_size, layouts, on, share};
use crate::values::{Value, assert_sorted};

/// Keys of 8 and 16 bits, and wider ones of which there are few, are counted: no element moves.
pub(crate) fn counted_keys() {
    fn check<T: Value>(pattern: Pattern, n: usize) {
        on(3, |comm| {
            let keys = pattern.keys::<T::Key>(n, 3, 7);
            let whole: Vec<T> = keys.into_iter().map(T::of_pattern).collect();
            let (comm, meter) = Metered::wrap(comm);
            let to = Layout::from_counts(&[n], Axis(0), &[n / 7, 0, n - n / 7]).unwrap();
            let x = share(&comm, &whole, Blocks::even(n, 3).counts());
            let sorted = x.sort().descending().layout(to.clone()).run().unwrap();
            let moving = format!("exchange::<{}>", std::any::type_name::<T::Key>());
            assert!(meter.by_call().iter().all(|(call, _)| !call.contains(&moving)), "{meter:?}");
            assert_eq!(sorted.layout(), &to);
            let (found, order) = (sorted.gather().unwrap().to_vec(), Order::ASCENDING.descending());
            assert_sorted(&found, &whole, order, &format!("{pattern:?}"));
        });
    }
    for pattern in [Pattern::Uniform, Pattern::Zipf, Pattern::Extremes] {
        check::<i8>(pattern, 70_000);
        check::<bool>(pattern, 70_000);
        check::<u16>(pattern, 1_600_000);
    }
    for pattern in [Pattern::Zipf, Pattern::Extremes] {
        check::<i16>(pattern, 200_000);
        check::<u32>(pattern, 100_000);
        check::<f64>(pattern, 100_000);
        check::<i128>(pattern, 100_000);
    }
}

/// One in twenty elements occurs once, which looks like fewer different ones than it makes: the elements move after all.
pub(crate) fn keys_that_look_fewer_than_they_are() {
    on(2, |comm| {
        let n = 2_000_000;
        let whole: Vec<u64> =
            (0..n as u64).map(|i| if i.is_multiple_of(20) { n as u64 - i } else { 0 }).collect();
        let (comm, meter) = Metered::wrap(comm);
        let sorted = share(&comm, &whole, &[n / 2, n / 2]).sort().run().unwrap();
        let calls = meter.by_call();
        let called = |what| calls.iter().any(|(call, _)| call.contains(what));
        assert!(
            called("all_gather::<usize>") && called("exchange::<u64>"),
            "counted first, then moved: {calls:?}"
        );
        let mut expected = whole;
        expected.sort_unstable();
        assert_eq!(sorted.local().to_vec(), expected[sorted.layout().range(comm.rank())]);
    });
}

/// What falls where it should rise is mirrored, each element moving once; so is a rising array that is to fall.
pub(crate) fn input_in_order_backwards_is_only_mirrored() {
    each_size(|comm| {
        let ranks = comm.size();
        let rising: Vec<i32> = (0..30_000).map(|i| i / 3).collect();
        let falling: Vec<i32> = rising.iter().rev().copied().collect();
        for (counts, to) in layouts(30_000, ranks).iter().zip(layouts(30_000, ranks).iter().rev()) {
            let (comm, meter) = Metered::wrap(comm);
            let to = Layout::from_counts(&[30_000], Axis(0), to).unwrap();
            let x = share(&comm, &falling, counts);
            let before = meter.total();
            let sorted = x.sort().layout(to.clone()).run().unwrap();
            let after = meter.total();
            assert!(after.calls - before.calls <= 4, "no search: {meter:?}");
            assert!(after.sent - before.sent <= 4 * x.local().len() as u64 + 32 * ranks as u64, "{meter:?}");
            assert_eq!(sorted.gather().unwrap().to_vec(), rising);
            let x = share(&comm, &rising, counts);
            let sorted = x.into_sorted().descending().layout(to).run().unwrap();
            assert_eq!(sorted.gather().unwrap().to_vec(), falling);
        }
    });
}

/// Blocks that are each other's mirror images are swapped where they lie, in rounds.
pub(crate) fn mirrored_blocks_are_swapped_in_place() {
    for counts in [vec![400_001], vec![150_000, 150_000], vec![70_001, 0, 200_003, 0, 70_001]] {
        on(counts.len(), |comm| {
            let n = counts.iter().sum::<usize>() as i64;
            let x = share(comm, &(0..n).rev().map(|i| i / 2).collect::<Vec<_>>(), &counts);
            let storage = x.local().as_ptr();
            let sorted = x.into_sorted().run().unwrap();
            assert_eq!(sorted.local().as_ptr(), storage);
            assert_eq!(sorted.gather().unwrap().to_vec(), (0..n).map(|i| i / 2).collect::<Vec<_>>());
        });
    }
}

/// In order once each rank has sorted its own: no element moves to another rank.
pub(crate) fn parts_that_follow_each_other_stay() {
    each_size(|comm| {
        for counts in layouts(30_000, comm.size()) {
            let (comm, meter) = Metered::wrap(comm);
            let whole: Vec<i64> = (0..30_000).map(|i| i / 3).collect();
            let x = share(&comm, &whole, &counts);
            let mut local = x.local().to_vec();
            let middle = local.len() / 2;
            local.rotate_left(middle); // neither rising nor falling
            let x = DistArray::from_parts(&comm, Array1::from_vec(local), x.layout().clone()).unwrap();
            let (before, storage) = (meter.total().sent, x.local().as_ptr());
            let sorted = x.into_sorted().run().unwrap();
            assert_eq!(sorted.local().as_ptr(), storage);
            let others = comm.size() as u64 - 1;
            assert!(meter.total().sent - before <= 48 * others, "agreement and edges: {meter:?}");
            assert_eq!(sorted.gather().unwrap().to_vec(), whole);
        }
    });
}

/// In order, in the wished layout: neither an element nor the storage moves.
pub(crate) fn input_in_order_stays_where_it_is() {
    each_size(|comm| {
        for counts in layouts(30_000, comm.size()) {
            let (comm, meter) = Metered::wrap(comm);
            let x = share(&comm, &(0..30_000_i64).map(|i| i / 3).collect::<Vec<_>>(), &counts);
            let (before, storage) = (meter.total().sent, x.local().as_ptr());
            let sorted = x.into_sorted().run().unwrap();
            assert_eq!(sorted.local().as_ptr(), storage);
            let others = comm.size() as u64 - 1;
            assert!(meter.total().sent - before <= 32 * others, "agreement and edges: {meter:?}");
        }
    });
}

/// In order in another layout: what changes its rank moves, nothing else.
pub(crate) fn input_in_order_is_only_redistributed() {
    on(4, |comm| {
        let whole: Vec<f32> = (0..40_000).map(|i| i as f32).collect();
        let (comm, meter) = Metered::wrap(comm);
        let x = share(&comm, &whole, &[10_000, 10_000, 10_000, 10_000]);
        let before = meter.total().sent;
        let to = Layout::from_counts(&[40_000], Axis(0), &[9_000, 11_000, 10_000, 10_000]).unwrap();
        let sorted = x.sort().layout(to).run().unwrap();
        let moved = if comm.rank() == 0 { 1_000 * 4 } else { 0 };
        let sent = meter.total().sent - before;
        assert!((moved..moved + 300).contains(&sent), "{meter:?}");
        assert_eq!(sorted.gather().unwrap().to_vec(), whole);
    });
}

/// Each element moves at most once, and what finds the way is short.
pub(crate) fn elements_move_at_most_once() {
    for (pattern, ranks) in [(Pattern::Uniform, 2), (Pattern::Zipf, 5), (Pattern::Reverse, 8)] {
        on(ranks, |comm| {
            let whole: Vec<u64> = pattern.keys(200_000, ranks, 3);
            let (comm, meter) = Metered::wrap(comm);
            let x = share(&comm, &whole, Blocks::even(whole.len(), ranks).counts());
            x.sort().run().unwrap();
            let (mut elements, mut search) = (0, 0);
            for (call, traffic) in meter.by_call() {
                match call.contains("exchange::<u64>") {
                    true => elements += traffic.sent,
                    false => search += traffic.sent,
                }
            }
            assert!(elements <= 8 * x.local().len() as u64, "{elements} bytes of elements");
            assert!(search <= 12_500 * 8 * 2 * 10, "{search} bytes to find splitters");
        });
    }
}
