//! The question and its options. The phases that answer it are in `run.rs`.

use maniple_core::{DistArray, DistArrayBase, DistArrayView};
use ndarray::{Axis, Data, Dimension, Ix1};

use crate::aggregation::{count, max, mean, min, sum};
use crate::assign_owners::Method;
use crate::error::GroupByError;
use crate::operation;
use crate::options::Options;
use crate::value::{Label, Value};

pub(crate) type Result<T, E = GroupByError> = std::result::Result<T, E>;

/// Grouping by labels, as a method of distributed arrays.
pub trait GroupBy<T, D: Dimension> {
    /// Groups the elements along one axis by their labels; what is to be known about the groups is asked of the
    /// [`Grouping`]. The other axes stay: each of their index combinations is a *lane* that is reduced by itself.
    ///
    /// # Shapes
    /// Values of any shape; one label for each index of the axis. The axis is the split one; if the values are replicated, the
    /// first one or [`axis`](Grouping::axis). Labels are split like the values, or replicated: every rank has all of them.
    /// Replicated values are divided among the ranks like the labels, evenly if those are replicated too.
    fn group_by<'a, S>(&'a self, labels: &'a DistArrayBase<S, Ix1>) -> Grouping<'a, T, S::Elem, D>
    where
        S: Data,
        S::Elem: Label;
}

impl<V, D> GroupBy<V::Elem, D> for DistArrayBase<V, D>
where
    V: Data,
    V::Elem: Value,
    D: Dimension,
{
    fn group_by<'a, S>(&'a self, labels: &'a DistArrayBase<S, Ix1>) -> Grouping<'a, V::Elem, S::Elem, D>
    where
        S: Data,
        S::Elem: Label,
    {
        Grouping {
            values: self.view(),
            labels: labels.view(),
            settings: Settings {
                axis: None,
                expected: None,
                keep_nan_labels: false,
                replicated: false,
                method: Method::Auto,
                defaults: Options::default(),
            },
        }
    }
}

/// Values and labels, and how the groups are to be reduced; made by [`group_by`](GroupBy::group_by).
///
/// # Order and ties
/// Groups come sorted by label, a NaN label last. `-1`, `MIN` and `MAX` are labels like others. NaN labels are dropped unless
/// [`keep_nan_labels`](Grouping::keep_nan_labels) is set; both zeros are one label, shown as `+0.0`.
///
/// Results lie evenly over the ranks along the axis of groups, whatever the data and the strategy; see
/// [`replicated`](Grouping::replicated). They do not depend on the number of ranks, except that sums and means of floats, which
/// are added up in `f64` in an order that layout and number of ranks determine, may differ in the last bits.
///
/// # Communication
/// One small all-gather to agree on the question and one to choose a strategy. To find the labels of all ranks: none if they are
/// [`expected`](Grouping::expected), one exchange if they are few, else five collectives with about 16 bytes for each label that a
/// rank has. Then one exchange of states (see [`Strategy`](crate::Strategy)); values never move.
///
/// # Complexity
/// O(n / p) where labels are runs, lie in a small span, or are few, else O(n / p · log(n / p)), plus the states. Memory for a state
/// of each label and lane that a rank has or owns, and 4 bytes for each row where labels span more keys than half the rows.
///
/// # Errors
/// Every rank gets the same one: [`GroupByError`]. The input is left as it was.
#[derive(Debug)]
#[must_use = "nothing is done before something is asked"]
pub struct Grouping<'a, T, L, D: Dimension> {
    pub(crate) values: DistArrayView<'a, T, D>,
    pub(crate) labels: DistArrayView<'a, L, Ix1>,
    pub(crate) settings: Settings<T, L>,
}

/// How the groups are to be reduced, whatever is asked about them.
#[derive(Debug)]
pub(crate) struct Settings<T, L> {
    pub(crate) axis: Option<Axis>,
    pub(crate) expected: Option<Vec<L>>,
    pub(crate) keep_nan_labels: bool,
    pub(crate) replicated: bool,
    pub(crate) method: Method,
    pub(crate) defaults: Options<T>,
}

/// The groups and what was asked about them.
#[derive(Debug)]
pub struct Groups<L, V> {
    /// The label of each group, ascending.
    pub labels: DistArray<L, Ix1>,
    /// The number of rows of each group, those with NaN values too.
    pub counts: DistArray<u64, Ix1>,
    /// The results: the axis that was reduced is the axis of groups, the others are as they were.
    pub values: V,
}

/// The array that one operation gives.
type Of<Op, T, D> = DistArray<<Op as operation::Operation<T>>::Output, D>;

impl<T: Value, L: Label, D: Dimension> Grouping<'_, T, L, D> {
    /// The axis along which replicated values are grouped. Split ones are grouped along their split axis.
    pub fn axis(mut self, axis: Axis) -> Self {
        self.settings.axis = Some(axis);
        self
    }

    /// The groups that there shall be, in any order, present or not: others are dropped. A NaN among them is a group.
    pub fn expected(mut self, labels: &[L]) -> Self {
        self.settings.expected = Some(labels.to_vec());
        self
    }

    /// NaN labels are one group, the last.
    pub fn keep_nan_labels(mut self) -> Self {
        self.settings.keep_nan_labels = true;
        self
    }

    /// For all aggregations: NaN does not count and does not propagate.
    pub fn skip_nan(mut self) -> Self {
        self.settings.defaults.skip_nan = true;
        self
    }

    /// For all aggregations: what a missing result is, as a value that is widened to the type of the result;
    /// see [`Aggregation::fill_value`](crate::Aggregation::fill_value), which takes any value of that type.
    pub fn fill_value(mut self, value: T) -> Self {
        self.settings.defaults.fill = Some(value);
        self
    }

    /// For all aggregations but counts: see [`Aggregation::min_count`](crate::Aggregation::min_count).
    pub fn min_count(mut self, elements: u64) -> Self {
        self.settings.defaults.min_count = Some(elements);
        self
    }

    /// Sums of integers that leave their type wrap around instead of being an error.
    pub fn wrapping(mut self) -> Self {
        self.settings.defaults.wrapping = true;
        self
    }

    /// How states shall move. The results are the same.
    pub fn method(mut self, method: Method) -> Self {
        self.settings.method = method;
        self
    }

    /// The results shall be on every rank as a whole.
    pub fn replicated(mut self) -> Self {
        self.settings.replicated = true;
        self
    }

    /// [`sum`] of each group.
    ///
    /// # Errors
    /// See [`Grouping`]; [`GroupByError::Overflow`] for integers.
    #[track_caller]
    pub fn sum(&self) -> Result<Groups<L, Of<operation::Sum, T, D>>> {
        self.agg(sum())
    }

    /// [`mean`] of each group.
    ///
    /// # Errors
    /// See [`Grouping`].
    #[track_caller]
    pub fn mean(&self) -> Result<Groups<L, Of<operation::Mean, T, D>>> {
        self.agg(mean())
    }

    /// [`count`] of each group.
    ///
    /// # Errors
    /// See [`Grouping`].
    #[track_caller]
    pub fn count(&self) -> Result<Groups<L, Of<operation::Count, T, D>>> {
        self.agg(count())
    }

    /// [`min`] of each group.
    ///
    /// # Errors
    /// See [`Grouping`]; [`GroupByError::Missing`] for types without NaN.
    #[track_caller]
    pub fn min(&self) -> Result<Groups<L, DistArray<T, D>>> {
        self.agg(min())
    }

    /// [`max`] of each group.
    ///
    /// # Errors
    /// See [`Grouping`]; [`GroupByError::Missing`] for types without NaN.
    #[track_caller]
    pub fn max(&self) -> Result<Groups<L, DistArray<T, D>>> {
        self.agg(max())
    }
}
