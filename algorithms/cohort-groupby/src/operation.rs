//! The operations: which states they need, and how a result comes from totals.

use std::fmt::Debug;

use maniple_core::DistArray;
use maniple_kernels::Key;
use ndarray::Dimension;

use crate::finish::{Finish, Rule};
use crate::options::Options;
use crate::state::{self, Extreme};
use crate::states::Needs;
use crate::value::Value;

/// What an aggregation does to values of type `T`. The trait is sealed.
pub trait Operation<T: Value>: Debug + sealed::Sealed + 'static {
    /// The type of its results.
    type Output: Value;

    /// Its name.
    const NAME: &'static str;
    /// How many elements a group needs for a result if nobody says otherwise.
    #[doc(hidden)]
    const MIN_COUNT: u64;
    /// Does it need the number of valid elements whatever the options?
    #[doc(hidden)]
    const DIVIDES: bool = false;

    /// The states it needs besides the number of valid elements.
    #[doc(hidden)]
    fn needs(skip: bool) -> Needs;

    /// A value as a result: what a fill value in the values' type means here.
    #[doc(hidden)]
    fn widen(value: T) -> Self::Output;

    /// Can the result of so many rows leave its type?
    #[doc(hidden)]
    fn may_overflow(_rows: usize) -> bool {
        false
    }

    /// The results of the groups that this rank owns.
    #[doc(hidden)]
    fn finish<D: Dimension>(
        rule: Rule<Self::Output>,
        finish: &mut Finish<'_, T>,
    ) -> DistArray<Self::Output, D>;

    /// Options with everything decided: own ones before those of the whole group-by.
    #[doc(hidden)]
    fn rule(own: &Options<Self::Output>, defaults: &Options<T>) -> Rule<Self::Output> {
        let fill = own.fill.or(defaults.fill.map(Self::widen));
        // A group without values has the sum zero, unless it is to be told from others by a fill value.
        let least = Self::MIN_COUNT.max(u64::from(fill.is_some()));
        let asked = own.min_count.or(defaults.min_count);
        Rule {
            name: Self::NAME,
            skip: (own.skip_nan || defaults.skip_nan) && T::NANS != T::Key::MIN,
            wrapping: own.wrapping || defaults.wrapping,
            min_count: asked.map_or(least, |asked| asked.max(Self::MIN_COUNT)),
            missing: fill.or(Self::Output::MISSING),
        }
    }
}

/// Operations whose result can be missing: all but the count.
pub trait MaybeMissing: sealed::Sealed {}

/// The sum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sum {}

/// The mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mean {}

/// The number of elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Count {}

/// The least element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Min {}

/// The greatest element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Max {}

/// The flag of one of a pair of states.
fn one_of(skip: bool) -> [bool; 2] {
    [!skip, skip]
}

impl<T: Value> Operation<T> for Sum {
    type Output = T::Sum;
    const NAME: &'static str = "sum";
    const MIN_COUNT: u64 = 0;

    fn needs(skip: bool) -> Needs {
        Needs { sum: one_of(skip), ..Needs::default() }
    }

    fn widen(value: T) -> T::Sum {
        T::wrapping_sum(value.part().into())
    }

    fn may_overflow(rows: usize) -> bool {
        T::HEADROOM.is_some_and(|bits| rows as u64 > 1 << bits)
    }

    fn finish<D: Dimension>(rule: Rule<T::Sum>, finish: &mut Finish<'_, T>) -> DistArray<T::Sum, D> {
        let sums = finish.sums(rule.skip);
        finish.column(rule, |at, _| match T::sum(sums[at]) {
            Some(sum) => Ok(sum),
            None if rule.wrapping => Ok(T::wrapping_sum(sums[at])),
            None => Err(T::exact(sums[at])),
        })
    }
}

impl<T: Value> Operation<T> for Mean {
    type Output = T::Mean;
    const NAME: &'static str = "mean";
    const MIN_COUNT: u64 = 1;
    const DIVIDES: bool = true;

    fn needs(skip: bool) -> Needs {
        Needs { sum: one_of(skip), ..Needs::default() }
    }

    fn widen(value: T) -> T::Mean {
        T::mean(value.part().into(), 1)
    }

    fn finish<D: Dimension>(rule: Rule<T::Mean>, finish: &mut Finish<'_, T>) -> DistArray<T::Mean, D> {
        let sums = finish.sums(rule.skip);
        finish.column(rule, |at, valid| Ok(T::mean(sums[at], valid)))
    }
}

impl<T: Value> Operation<T> for Count {
    type Output = u64;
    const NAME: &'static str = "count";
    const MIN_COUNT: u64 = 0;
    const DIVIDES: bool = true;

    fn needs(_: bool) -> Needs {
        Needs::default()
    }

    fn widen(_: T) -> u64 {
        0
    }

    /// A number of elements is never missing.
    fn rule(own: &Options<u64>, defaults: &Options<T>) -> Rule<u64> {
        let skip = (own.skip_nan || defaults.skip_nan) && T::NANS != T::Key::MIN;
        Rule { name: <Count as Operation<T>>::NAME, skip, wrapping: false, min_count: 0, missing: None }
    }

    fn finish<D: Dimension>(rule: Rule<u64>, finish: &mut Finish<'_, T>) -> DistArray<u64, D> {
        finish.column(rule, |_, valid| Ok(valid))
    }
}

macro_rules! extreme {
    ($($Op:ident, $name:literal, $End:ident, $flag:ident, $keep:ident, $skip:ident;)*) => {$(
        impl<T: Value> Operation<T> for $Op {
            type Output = T;
            const NAME: &'static str = $name;
            const MIN_COUNT: u64 = 1;

            fn needs(skip: bool) -> Needs {
                Needs { $flag: one_of(skip), ..Needs::default() }
            }

            fn widen(value: T) -> T {
                value
            }

            fn finish<D: Dimension>(rule: Rule<T>, finish: &mut Finish<'_, T>) -> DistArray<T, D> {
                let states = finish.states();
                match rule.skip {
                    false => {
                        let keys = finish.totals(&states.$keep);
                        finish.column(rule, |at, _| Ok(Extreme::<state::$End, false>::value(keys[at])))
                    }
                    true => {
                        let keys = finish.totals(&states.$skip);
                        finish.column(rule, |at, _| Ok(Extreme::<state::$End, true>::value(keys[at])))
                    }
                }
            }
        }
    )*};
}

extreme! {
    Min, "min", Low, low, low, low_skip;
    Max, "max", High, high, high, high_skip;
}

impl MaybeMissing for Sum {}
impl MaybeMissing for Mean {}
impl MaybeMissing for Min {}
impl MaybeMissing for Max {}

mod sealed {
    pub trait Sealed {}

    impl Sealed for super::Sum {}
    impl Sealed for super::Mean {}
    impl Sealed for super::Count {}
    impl Sealed for super::Min {}
    impl Sealed for super::Max {}
}
