//! Sorting values: every type, layout, order and number of ranks against a naive order.

mod forms;
mod reported;
mod routes;
#[path = "../support/mod.rs"]
mod support;
#[path = "../support/values.rs"]
mod values;

use forms::*;
use maniple::Blocks;
use maniple::prelude::*;
use maniple_kernels::patterns::Pattern;
use maniple_kernels::{Key, SortKey};
use maniple_sort::{Sort, cut_between, cut_ties, find_splitters};
use proptest::prelude::*;
use reported::*;
use routes::*;
use support::{counts, each_size, layouts, on, property, share};
use values::{Case, Value, assert_sorted, bits, cases, every_type};

fn sorts<T: Value>(comm: &Comm, case: &Case) {
    let keys = case.pattern.keys::<T::Key>(case.n, comm.size(), 1);
    let whole: Vec<T> = keys.into_iter().map(T::of_pattern).collect();
    let x = share(comm, &whole, &case.from);
    let sorted = case.ask(x.sort()).run().unwrap();
    assert_eq!(&sorted.layout().counts(), case.to.as_ref().unwrap_or(&case.from));
    assert_eq!(
        bits(&x.local().to_vec()),
        bits(&share(comm, &whole, &case.from).local().to_vec()),
        "the input stays"
    );
    let found = sorted.gather().unwrap().to_vec();
    assert_sorted(&found, &whole, case.order, &format!("{case:?}"));

    let consumed = case.ask(x.into_sorted()).run().unwrap().gather().unwrap();
    assert_eq!(bits(&consumed.to_vec()), bits(&found), "{case:?}");
}

fn every_type_layout_and_order() {
    property(80, cases, |comm, case| {
        every_type! { sorts(comm, case) }
    });
}

/// Beyond the little that is gathered, and up to more ranks than any other test has.
fn the_same_bits_on_any_number_of_ranks() {
    for pattern in [Pattern::FloatMix, Pattern::Zipf, Pattern::HeavyBoundary, Pattern::Lognormal] {
        let whole: Vec<f64> = pattern.keys::<u64>(20_011, 4, 5).into_iter().map(f64::from_key).collect();
        let sorted = |comm: &Comm| {
            let x = share(comm, &whole, Blocks::even(whole.len(), comm.size()).counts());
            bits(&x.sort().run().unwrap().gather().unwrap().to_vec())
        };
        let alone = sorted(&Comm::solo());
        for ranks in [1, 2, 3, 5, 8, 16] {
            on(ranks, |comm| assert!(sorted(comm) == alone, "{pattern:?} on {ranks} ranks"));
        }
    }
}

fn every_pattern_on_the_general_way() {
    each_size(|comm| {
        for &pattern in Pattern::ALL {
            let whole: Vec<u64> = pattern.keys(3_000, comm.size(), 2);
            let mut expected = whole.clone();
            expected.sort_unstable();
            for counts in layouts(whole.len(), comm.size()) {
                let sorted = share(comm, &whole, &counts).sort().shortcuts(false).run().unwrap();
                assert_eq!(sorted.gather().unwrap().to_vec(), expected, "{pattern:?} as {counts:?}");
            }
        }
    });
}

fn splitters_cut_at_their_targets() {
    fn check<K: Key>(comm: &Comm, whole: &[K], counts: &[usize], targets: &[usize]) {
        let mut mine = share(comm, whole, counts).into_local().to_vec();
        mine.sort_unstable();
        let splitters = find_splitters(comm, &mine, targets).unwrap();
        let everyones = comm.all_gather(&splitters.iter().map(|s| s.key).collect::<Vec<K>>()).unwrap();
        assert!(everyones.chunks(targets.len().max(1)).all(|keys| keys == &everyones[..targets.len()]));

        // Every key with the number of its block, on all ranks.
        let in_blocks = |blocks: &Blocks| {
            let numbered = |(j, range): (usize, std::ops::Range<usize>)| std::iter::repeat_n(j, range.len());
            let numbers: Vec<usize> = blocks.ranges().enumerate().flat_map(numbered).collect();
            let (numbers, keys) =
                (comm.all_gather_v(&numbers).unwrap().0, comm.all_gather_v(&mine).unwrap().0);
            let mut all: Vec<(usize, K)> = numbers.into_iter().zip(keys).collect();
            all.sort_unstable();
            all
        };
        // To the element: blocks as long as the targets say, that follow each other.
        let cut = cut_ties(comm, &mine, &splitters).unwrap();
        let offsets: Vec<usize> =
            [0].into_iter().chain(targets.iter().copied()).chain([whole.len()]).collect();
        assert_eq!(comm.all_reduce(cut.counts(), |a, b| a + b).unwrap(), Blocks::between(&offsets).counts());
        assert!(in_blocks(&cut).is_sorted_by_key(|&(_, key)| key));
        // Between keys: none is in two blocks.
        let apart = in_blocks(&cut_between(&mine, &splitters));
        assert!(apart.windows(2).all(|w| w[0].1 < w[1].1 || w[0] == w[1]), "{apart:?}");
    }
    let inputs = |ranks| {
        (prop::sample::select(Pattern::ALL), 0..300_usize).prop_flat_map(move |(pattern, n)| {
            let targets = prop::collection::vec(0..=n, 0..12).prop_map(|mut targets| {
                targets.sort_unstable();
                targets
            });
            (Just(pattern), counts(n, ranks), targets)
        })
    };
    property(200, inputs, |comm, (pattern, counts, targets)| {
        let n = counts.iter().sum();
        check::<u8>(comm, &pattern.keys(n, comm.size(), 3), counts, targets);
        check::<u64>(comm, &pattern.keys(n, comm.size(), 3), counts, targets);
        check::<u128>(comm, &pattern.keys(n, comm.size(), 3), counts, targets);
    });
}

support::tests![
    every_type_layout_and_order,
    the_same_bits_on_any_number_of_ranks,
    every_pattern_on_the_general_way,
    splitters_cut_at_their_targets,
    nan_beside_negatives,
    nan_of_either_sign,
    many_nans,
    one_key_on_many_ranks,
    one_key_on_all_ranks,
    from_one_rank_to_all,
    columns_and_rows_of_a_matrix,
    nan_last_in_both_directions,
    nan_in_every_width,
    counted_keys,
    keys_that_look_fewer_than_they_are,
    input_in_order_backwards_is_only_mirrored,
    mirrored_blocks_are_swapped_in_place,
    parts_that_follow_each_other_stay,
    input_in_order_stays_where_it_is,
    input_in_order_is_only_redistributed,
    elements_move_at_most_once,
    replicated_arrays,
    shared_and_borrowed_arrays,
    impossible_wishes_are_errors_on_every_rank,
    ranks_that_want_different_things_are_told,
    splitters_of_different_targets_are_refused,
];
