use super::*;

fn chosen<K: Key>(keys: &[K]) -> Choice {
    choose(keys).choice
}

/// Well-mixed words over the whole width.
fn mixed(n: u64) -> impl Iterator<Item = u64> {
    (0..n).map(|i| hash::mix(u128::from(i)))
}

#[test]
fn the_ladder_takes_the_first_strategy_that_pays() {
    let n = 1 << 16;
    let wide: Vec<u64> = mixed(n).collect();
    let ascending: Vec<u64> = (0..n).map(|i| i << 40).collect();
    let days: Vec<u64> = (0..n).map(|i| (i / 24 % 365) << 40).collect();
    let few: Vec<u64> = mixed(n).map(|x| (x % 50) << 40).collect();
    let narrow: Vec<u64> = mixed(n).map(|x| (1 << 50) | (x % 1000)).collect();
    assert_eq!(chosen(&wide[..63]), Choice { strategy: Strategy::Sort, reason: Reason::FewKeys });
    assert_eq!(chosen(&ascending), Choice { strategy: Strategy::Runs, reason: Reason::Ascending });
    assert_eq!(chosen(&days), Choice { strategy: Strategy::Runs, reason: Reason::RunLike });
    assert_eq!(
        chosen(&narrow),
        Choice { strategy: Strategy::Table, reason: Reason::SmallSpan { slots: 1000 } }
    );
    assert_eq!(
        chosen(&few),
        Choice { strategy: Strategy::Hash, reason: Reason::FewDistinct { estimate: 50 } }
    );
    assert_eq!(chosen(&wide).strategy, Strategy::Sort);
    let bytes: Vec<u8> = mixed(n).map(|x| x as u8).collect();
    assert_eq!(chosen(&bytes).reason, Reason::SmallSpan { slots: 256 });
}

/// Every other key a different one: a sample at a fixed stride would see one of the two kinds alone.
#[test]
fn a_period_does_not_deceive_the_sample() {
    let keys: Vec<u64> = mixed(1 << 16).enumerate().map(|(i, x)| if i % 16 == 0 { 7 } else { x }).collect();
    assert!(matches!(chosen(&keys).reason, Reason::ManyDistinct { estimate } if estimate > 1 << 14));
}

#[test]
fn the_estimate_is_of_the_right_size() {
    for distinct in [10, 1000, 20_000] {
        let keys: Vec<u64> = mixed(1 << 19).map(|x| hash::mix(u128::from(x % distinct))).collect();
        let estimate = Sample::of(&keys).estimate as u64;
        assert!(
            (distinct * 3 / 4..=distinct * 4 / 3).contains(&estimate),
            "expected about {distinct}, found {estimate}"
        );
    }
}

#[test]
fn a_span_of_every_key_is_counted_or_refused() {
    assert_eq!(span([0u8, 255].into_iter()), Some((0, 256)));
    assert_eq!(span([5u64].into_iter()), Some((5, 1)));
    assert_eq!(span([0, u64::MAX].into_iter()), None);
    assert_eq!(span([0, u128::MAX].into_iter()), None);
    assert_eq!(span(std::iter::empty::<u8>()), None);
}

#[test]
fn a_choice_explains_itself() {
    let choice = Choice { strategy: Strategy::Hash, reason: Reason::FewDistinct { estimate: 50 } };
    assert_eq!(choice.to_string(), "Hash: few distinct keys, about 50");
}
