//! What every rank must ask alike, and the labels that the caller expects.

use std::any::type_name;
use std::hash::{DefaultHasher, Hasher};

use maniple_core::{Comm, Layout};
use maniple_kernels::Key;

use crate::aggregation::Aggregations;
use crate::error::GroupByError;
use crate::grouping::{Result, Settings};
use crate::states::Needs;
use crate::value::{Label, Value};

/// The expected labels as keys.
#[derive(Debug)]
pub(crate) struct Expected<K> {
    /// Ascending.
    pub(crate) keys: Vec<K>,
    /// The same on every rank that names the same labels in the same order.
    digest: u64,
    /// The first two positions of a label that stands there twice.
    twice: Option<(usize, usize)>,
}

impl<K: Key> Expected<K> {
    pub(crate) fn new<L: Label<Key = K>>(labels: &[L]) -> Self {
        let mut placed: Vec<(K, usize)> =
            labels.iter().enumerate().map(|(at, label)| (label.canonical(), at)).collect();
        let mut hasher = DefaultHasher::new(); // fixed keys
        placed.iter().for_each(|(key, _)| key.hash(&mut hasher));
        placed.sort_unstable();
        let equal = placed.windows(2).filter(|pair| pair[0].0 == pair[1].0);
        Expected {
            digest: hasher.finish(),
            twice: equal.map(|pair| (pair[0].1, pair[1].1)).min_by_key(|&(_, second)| second),
            keys: placed.into_iter().map(|(key, _)| key).collect(),
        }
    }
}

/// What is asked about the groups, without the types of the answers.
#[derive(Debug)]
pub(crate) struct Asked {
    pub(crate) needs: Needs,
    /// Can there be a group without result?
    pub(crate) may_fail: bool,
    /// Bytes of one result of each aggregation.
    pub(crate) result_bytes: usize,
    /// The aggregations in words.
    words: String,
}

impl Asked {
    /// Of groups made from `rows` rows.
    pub(crate) fn new<T: Value, L, A: Aggregations<T>>(
        aggregations: &A,
        settings: &Settings<T, L>,
        rows: usize,
    ) -> Self {
        let defaults = &settings.defaults;
        Asked {
            needs: aggregations.needs(defaults),
            may_fail: aggregations.may_fail(defaults, rows, settings.expected.is_some()),
            result_bytes: aggregations.result_bytes(),
            words: format!("{aggregations:?}"),
        }
    }
}

/// Makes sure that all ranks ask the same, and tells each how many labels every rank has.
#[track_caller]
pub(crate) fn agree_on_question<T: Value, L: Label>(
    comm: &Comm,
    [values, labels]: [&Layout; 2],
    settings: &Settings<T, L>,
    expected: Option<&Expected<L::Key>>,
    asked: &Asked,
    present: usize,
) -> Result<Vec<usize>> {
    let list = expected.map(|list| format!("{} labels, digest {:016x}", list.keys.len(), list.digest));
    let facts = [
        ("type of the values", type_name::<T>().into()),
        ("type of the labels", type_name::<L>().into()),
        ("layout of the values", format!("{values:?}")),
        ("layout of the labels", format!("{labels:?}")),
        ("axis", format!("{:?}", settings.axis)),
        ("expected labels", list.unwrap_or_else(|| "any".into())),
        ("aggregations", asked.words.clone()),
        ("options of all aggregations", format!("{:?}", settings.defaults)),
        ("option keep_nan_labels", settings.keep_nan_labels.to_string()),
        ("option replicated", settings.replicated.to_string()),
        ("method", format!("{:?}", settings.method)),
    ];
    let counts = comm.agree_on("group_by", &facts, present as u64)?;
    if let Some((first, second)) = expected.and_then(|list| list.twice)
        && let Some(labels) = &settings.expected
    {
        return Err(GroupByError::DuplicateExpected {
            label: format!("{:?}", labels[second]),
            first,
            second,
        });
    }
    Ok(counts.into_iter().map(|n| n as usize).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expected_labels_come_in_any_order_but_once() {
        let list = Expected::new(&[3_i8, -1, 2]);
        assert_eq!(list.keys, [127, 130, 131]);
        assert_eq!(list.twice, None);
        assert_ne!(list.digest, Expected::new(&[3_i8, -1, 1]).digest);
        assert_eq!(Expected::new(&[5, 1, 2, 1, 5, 1]).twice, Some((1, 3)));
        assert_eq!(Expected::new(&[f64::NAN, 0.0, -f64::NAN]).twice, Some((0, 2)));
        assert_eq!(Expected::new(&[0.0_f32, 1.0, -0.0]).twice, Some((0, 2)));
    }
}
