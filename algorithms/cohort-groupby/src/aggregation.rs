//! What can be asked about a group, with its options: `sum()`, `mean().skip_nan()`, `min().fill_value(0)`.

use std::fmt::Debug;
use std::marker::PhantomData;

use maniple_core::{DistArray, Result};
use ndarray::Dimension;

use crate::finish::Finish;
use crate::operation::{Count, Max, MaybeMissing, Mean, Min, Operation, Sum};
use crate::options::Options;
use crate::states::Needs;
use crate::value::Value;

/// One operation and its options. `O` is the type of its results.
#[derive(Clone, Copy, Debug, PartialEq)]
#[must_use = "an argument of `agg`"]
pub struct Aggregation<Op, O> {
    operation: PhantomData<Op>,
    options: Options<O>,
}

impl<Op, O> Aggregation<Op, O> {
    fn new() -> Self {
        Aggregation { operation: PhantomData, options: Options::default() }
    }

    /// NaN does not count and does not propagate.
    pub fn skip_nan(mut self) -> Self {
        self.options.skip_nan = true;
        self
    }
}

impl<Op: MaybeMissing, O> Aggregation<Op, O> {
    /// What a missing result is: that of a group without valid elements, or with fewer than
    /// [`min_count`](Aggregation::min_count). A sum that has a fill value is missing, not zero, where there is nothing to add.
    pub fn fill_value(mut self, value: O) -> Self {
        self.options.fill = Some(value);
        self
    }

    /// A group with fewer valid elements (not NaN, if those are skipped) has no result.
    pub fn min_count(mut self, elements: u64) -> Self {
        self.options.min_count = Some(elements);
        self
    }
}

impl<O> Aggregation<Sum, O> {
    /// Sums of integers that leave their type wrap around instead of being an error.
    pub fn wrapping(mut self) -> Self {
        self.options.wrapping = true;
        self
    }
}

/// The sum of each group. Integers: `i64` or `u64`, exact, or an error. Floats keep their type and are added up in `f64`.
pub fn sum<O>() -> Aggregation<Sum, O> {
    Aggregation::new()
}

/// The mean of each group: its sum by its number of elements. `f64` for integers; floats keep their type.
pub fn mean<O>() -> Aggregation<Mean, O> {
    Aggregation::new()
}

/// The number of elements of each group and lane; if NaN is skipped, of those that are not NaN.
pub fn count<O>() -> Aggregation<Count, O> {
    Aggregation::new()
}

/// The least element of each group, in its own type. NaN is less than everything unless it is skipped; -0.0 is less than 0.0.
pub fn min<O>() -> Aggregation<Min, O> {
    Aggregation::new()
}

/// The greatest element of each group, in its own type. NaN is greater than everything unless it is skipped.
pub fn max<O>() -> Aggregation<Max, O> {
    Aggregation::new()
}

/// One aggregation, or a tuple of up to eight: all of them are done in one pass over the values. The trait is sealed.
///
/// The results come as they were asked for: an array for one aggregation, a tuple of arrays for a tuple.
pub trait Aggregations<T: Value>: Debug + sealed::Sealed {
    /// The arrays of results.
    type Values<D: Dimension>;

    /// The states to be kept.
    #[doc(hidden)]
    fn needs(&self, defaults: &Options<T>) -> Needs;
    /// Can there be a group without result in `rows` rows? `expected`: also groups without rows.
    #[doc(hidden)]
    fn may_fail(&self, defaults: &Options<T>, rows: usize, expected: bool) -> bool;
    /// Bytes of one result of each.
    #[doc(hidden)]
    fn result_bytes(&self) -> usize;
    /// The results of the groups that this rank owns.
    #[doc(hidden)]
    fn finish<D: Dimension>(&self, finish: &mut Finish<'_, T>) -> Self::Values<D>;
    /// All results on every rank.
    #[doc(hidden)]
    #[track_caller]
    fn replicate<D: Dimension>(values: Self::Values<D>) -> Result<Self::Values<D>>;
}

impl<T: Value, Op: Operation<T>> Aggregations<T> for Aggregation<Op, Op::Output> {
    type Values<D: Dimension> = DistArray<Op::Output, D>;

    fn needs(&self, defaults: &Options<T>) -> Needs {
        let rule = Op::rule(&self.options, defaults);
        Needs { valid: rule.skip && (rule.min_count > 0 || Op::DIVIDES), ..Op::needs(rule.skip) }
    }

    fn may_fail(&self, defaults: &Options<T>, rows: usize, expected: bool) -> bool {
        let rule = Op::rule(&self.options, defaults);
        let missing = rule.missing.is_none() && (rule.min_count > 1 || rule.min_count == 1 && expected);
        missing || !rule.wrapping && Op::may_overflow(rows)
    }

    fn result_bytes(&self) -> usize {
        size_of::<Op::Output>()
    }

    fn finish<D: Dimension>(&self, finish: &mut Finish<'_, T>) -> DistArray<Op::Output, D> {
        let rule = Op::rule(&self.options, finish.defaults());
        Op::finish(rule, finish)
    }

    #[track_caller]
    fn replicate<D: Dimension>(values: DistArray<Op::Output, D>) -> Result<DistArray<Op::Output, D>> {
        crate::finish::replicate(values)
    }
}

impl<Op, O> sealed::Sealed for Aggregation<Op, O> {}

macro_rules! tuple {
    ($($A:ident)*) => {
        impl<T: Value, $($A: Aggregations<T>),*> Aggregations<T> for ($($A,)*) {
            type Values<D: Dimension> = ($($A::Values<D>,)*);

            #[allow(non_snake_case)] // the type parameters name the fields
            fn needs(&self, defaults: &Options<T>) -> Needs {
                let ($($A,)*) = self;
                [$($A.needs(defaults)),*].into_iter().fold(Needs::default(), Needs::and)
            }

            #[allow(non_snake_case)]
            fn may_fail(&self, defaults: &Options<T>, rows: usize, expected: bool) -> bool {
                let ($($A,)*) = self;
                [$($A.may_fail(defaults, rows, expected)),*].contains(&true)
            }

            #[allow(non_snake_case)]
            fn result_bytes(&self) -> usize {
                let ($($A,)*) = self;
                [$($A.result_bytes()),*].iter().sum()
            }

            #[allow(non_snake_case)]
            fn finish<D: Dimension>(&self, finish: &mut Finish<'_, T>) -> Self::Values<D> {
                let ($($A,)*) = self;
                ($($A.finish(finish),)*)
            }

            #[track_caller]
            #[allow(non_snake_case)]
            fn replicate<D: Dimension>(values: Self::Values<D>) -> Result<Self::Values<D>> {
                let ($($A,)*) = values;
                Ok(($($A::replicate($A)?,)*))
            }
        }

        impl<$($A: sealed::Sealed),*> sealed::Sealed for ($($A,)*) {}
    };
}

tuple! { A }
tuple! { A B }
tuple! { A B C }
tuple! { A B C E }
tuple! { A B C E F }
tuple! { A B C E F G }
tuple! { A B C E F G H }
tuple! { A B C E F G H I }

mod sealed {
    pub trait Sealed {}
}
