//! Phase 6: totals become results, missing ones are filled, and every rank hears of the first group that has none.

use maniple_core::{Comm, DistArray, Element, Layout, Result, memory, shaped};
use maniple_kernels::Key;
use ndarray::Dimension;

use crate::column::{Column, Shape};
use crate::error::GroupByError;
use crate::options::Options;
use crate::state::State;
use crate::states::States;
use crate::value::{Label, Total, Value};

/// The options of one aggregation with everything decided.
#[derive(Clone, Copy, Debug)]
pub struct Rule<O> {
    pub(crate) name: &'static str,
    pub(crate) skip: bool,
    pub(crate) wrapping: bool,
    /// Valid elements that a result needs.
    pub(crate) min_count: u64,
    /// What stands for a missing result, if anything does.
    pub(crate) missing: Option<O>,
}

/// The totals of the groups that this rank owns, on their way to results.
#[derive(Debug)]
pub struct Finish<'a, T: Value> {
    comm: &'a Comm,
    states: &'a States<T>,
    layout: &'a Layout,
    defaults: &'a Options<T>,
    fault: Option<Fault>,
}

/// A group of this rank that has no result.
#[derive(Clone, Copy, Debug)]
struct Fault {
    group: usize,
    why: Why,
}

#[derive(Clone, Copy, Debug)]
enum Why {
    Overflow { sum: i128 },
    Missing { operation: &'static str, expected: u64, found: u64 },
}

impl<'a, T: Value> Finish<'a, T> {
    /// `layout` is that of the results.
    pub(crate) fn new(
        comm: &'a Comm,
        states: &'a States<T>,
        layout: &'a Layout,
        defaults: &'a Options<T>,
    ) -> Self {
        Finish { comm, states, layout, defaults, fault: None }
    }

    pub(crate) fn defaults(&self) -> &'a Options<T> {
        self.defaults
    }

    pub(crate) fn states(&self) -> &'a States<T> {
        self.states
    }

    pub(crate) fn totals<S: State<T>>(&self, column: &'a Option<Column<T, S>>) -> &'a [S::Total] {
        column.as_ref().unwrap_or_else(|| unreachable!("an operation needs the states it reads")).totals()
    }

    pub(crate) fn sums(&self, skip: bool) -> &'a [Total<T>] {
        match skip {
            false => self.totals(&self.states.sum),
            true => self.totals(&self.states.sum_skip),
        }
    }

    /// The array of results: `value(at, valid)` is that of state `at`, which has so many valid elements.
    pub(crate) fn column<O: Value, D: Dimension>(
        &mut self,
        rule: Rule<O>,
        value: impl Fn(usize, u64) -> Result<O, i128>,
    ) -> DistArray<O, D> {
        let Shape { outer, labels: groups, inner } = self.states.shape();
        let rows = self.states.rows.totals();
        let valid = self.states.valid.as_ref().filter(|_| rule.skip).map(Column::totals);
        let mut results = memory::with_capacity(outer * groups * inner);
        for group in (0..outer).flat_map(|_| 0..groups) {
            for _ in 0..inner {
                let at = results.len();
                let found = valid.map_or(rows[group], |valid| valid[at]);
                let result = match found < rule.min_count {
                    false => value(at, found).map_err(|sum| Why::Overflow { sum }),
                    true => rule.missing.ok_or(Why::Missing {
                        operation: rule.name,
                        expected: rule.min_count,
                        found,
                    }),
                };
                results.push(result.unwrap_or_else(|why| {
                    self.note(Fault { group, why });
                    O::from_key(O::Key::MIN) // seen by nobody: every rank gets the error
                }));
            }
        }
        let local = shaped(&self.layout.lshape(self.comm.rank()), results);
        DistArray::from_parts(self.comm, local, self.layout.clone())
            .unwrap_or_else(|_| unreachable!("the block has the shape of its layout"))
    }

    fn note(&mut self, fault: Fault) {
        if self.fault.is_none_or(|first| fault.group < first.group) {
            self.fault = Some(fault);
        }
    }

    /// On every rank the error of the first group that has no result, if there is one. `keys` are the owned groups' labels.
    #[track_caller]
    pub(crate) fn agree<L: Label>(self, keys: &[L::Key]) -> Result<(), GroupByError> {
        let mine = self.fault.map_or([0; RECORD], |fault| record(fault, keys[fault.group].to_u128()));
        let all = self.comm.all_gather(&mine)?;
        // Groups rise from rank to rank, so the first rank that has a fault has the first group.
        match all.as_chunks::<RECORD>().0.iter().find(|record| record[0] != 0) {
            None => Ok(()),
            Some(record) => Err(error::<T, L>(record)),
        }
    }
}

/// Words of a fault on the wire: kind, key (2), number (2), operation, expected.
const RECORD: usize = 7;

/// Bytes that a rank sends to each other one to agree that all groups have a result.
pub(crate) const AGREE_BYTES: u64 = (RECORD * size_of::<u64>()) as u64;

/// Operations by their number on the wire.
const NAMES: [&str; 4] = ["sum", "mean", "min", "max"];

fn record(fault: Fault, key: u128) -> [u64; RECORD] {
    let (kind, number, operation, expected) = match fault.why {
        Why::Overflow { sum } => (1, sum as u128, 0, 0),
        Why::Missing { operation, expected, found } => {
            let number = NAMES.iter().position(|name| *name == operation);
            let number = number.unwrap_or_else(|| unreachable!("a count is never missing"));
            (2, u128::from(found), number as u64, expected)
        }
    };
    let halves = |wide: u128| [wide as u64, (wide >> 64) as u64];
    let ([k0, k1], [n0, n1]) = (halves(key), halves(number));
    [kind, k0, k1, n0, n1, operation, expected]
}

fn error<T: Value, L: Label>(record: &[u64; RECORD]) -> GroupByError {
    let [kind, k0, k1, n0, n1, operation, expected] = *record;
    let whole = |low: u64, high: u64| u128::from(high) << 64 | u128::from(low);
    let label = format!("{:?}", L::from_canonical(Key::from_u128(whole(k0, k1))));
    match kind {
        1 => GroupByError::Overflow {
            label,
            sum: whole(n0, n1) as i128,
            expected: std::any::type_name::<T::Sum>(),
        },
        _ => GroupByError::Missing { operation: NAMES[operation as usize], label, expected, found: n0 },
    }
}

/// The whole array on every rank.
#[track_caller]
pub(crate) fn replicate<O: Element, D: Dimension>(array: DistArray<O, D>) -> Result<DistArray<O, D>> {
    let layout = Layout::replicated(array.layout().shape(), array.comm().size());
    DistArray::from_parts(array.comm(), array.gather()?, layout)
}
