//! The question, its options, and the phases that answer it.

use maniple_core::{Comm, DistArray, DistArrayBase, DistArrayView, Element, Error, Fact, Layout, Result};
use maniple_kernels::{Key, SortKey};
use ndarray::{Data, Dimension, Ix1};

use crate::dedup_local::{Local, dedup_local, may_outnumber_codes};
use crate::dense::dense;
use crate::inverse::inverse;
use crate::joined::{Joined, Wanted};
use crate::large::large;
use crate::layout::{Wish, lay};
use crate::regime::{Choice, Figures, Regime, choose_regime};
use crate::small::{record, small};

/// Distinct values, as a method of distributed arrays.
pub trait SortedUnique<T, D: Dimension> {
    /// Asks for the distinct values of the array; [`Request::run`] answers.
    ///
    /// # Examples
    /// ```
    /// # use maniple_core::{Comm, DistArray};
    /// # use maniple_unique::SortedUnique;
    /// # use ndarray::{Axis, array};
    /// # let comm = Comm::solo();
    /// let x = DistArray::from_local(&comm, array![0.5, f64::NAN, -0.0, f64::NAN, 0.0], Axis(0))?;
    /// let found = x.unique().counts().first_index().run()?;
    /// assert_eq!(found.values.local().to_string(), "[0, 0.5, NaN]");
    /// assert_eq!(found.counts.unwrap().gather()?, array![2, 1, 2]);
    /// assert_eq!(found.first_index.unwrap().gather()?, array![2, 0, 1]);
    /// # Ok::<(), maniple_core::Error>(())
    /// ```
    fn unique(&self) -> Request<'_, T, D>;
}

impl<S, D> SortedUnique<S::Elem, D> for DistArrayBase<S, D>
where
    S: Data,
    S::Elem: SortKey + Element,
    D: Dimension,
{
    fn unique(&self) -> Request<'_, S::Elem, D> {
        Request { array: self.view(), wanted: Wanted::default(), wish: Wish::Even, regime: None }
    }
}

/// A question about the distinct values of an array; see [`SortedUnique::unique`].
#[derive(Debug)]
#[must_use = "`run` answers"]
pub struct Request<'a, T, D: Dimension> {
    array: DistArrayView<'a, T, D>,
    wanted: Wanted,
    wish: Wish,
    regime: Option<Regime>,
}

/// The distinct values of an array, with what was asked about them.
#[derive(Debug)]
#[non_exhaustive]
pub struct Unique<T, D: Dimension> {
    /// The distinct values, ascending, then NaN.
    pub values: DistArray<T, Ix1>,
    /// How often each value occurs. Lies as `values` does.
    pub counts: Option<DistArray<u64, Ix1>>,
    /// The position in `values` of each element's value. Has the array's shape and layout.
    pub inverse: Option<DistArray<u64, D>>,
    /// The smallest row-major index of each value in the whole array. Lies as `values` does.
    pub first_index: Option<DistArray<u64, Ix1>>,
    /// How the ranks' distinct values were joined, and why so. The same on every rank.
    pub regime: Choice,
}

impl<T: SortKey + Element, D: Dimension> Request<'_, T, D> {
    /// Asks how often each value occurs.
    pub fn counts(mut self) -> Self {
        self.wanted.counts = true;
        self
    }

    /// Asks for the position of every element's value.
    pub fn inverse(mut self) -> Self {
        self.wanted.inverse = true;
        self
    }

    /// Asks where each value occurs first.
    pub fn first_index(mut self) -> Self {
        self.wanted.first_index = true;
        self
    }

    /// Wants values, counts and first indices on every rank, instead of evenly spread.
    pub fn replicated(mut self) -> Self {
        self.wish = Wish::Replicated;
        self
    }

    /// Wants values, counts and first indices in this layout, which must be one for as many elements as there are values.
    pub fn layout(mut self, layout: Layout) -> Self {
        self.wish = Wish::As(layout);
        self
    }

    /// Prefers a regime to the one that would be chosen: for tests and measurements.
    ///
    /// The answer stays the same. A regime that is not possible gives way ([`Regime::Local`] on several ranks,
    /// [`Regime::Dense`] over a great span, all of them for a replicated array); [`Unique::regime`] says so.
    pub fn regime(mut self, regime: Regime) -> Self {
        self.regime = Some(regime);
        self
    }

    /// The distinct values, with what else was asked for.
    ///
    /// # Shapes
    /// The array is flattened, whatever its number of axes and its split axis. With u distinct values, `values`, `counts` and
    /// `first_index` have the shape `[u]`; `inverse` has the array's.
    ///
    /// # Order and ties
    /// Ascending. All NaNs are one value, the last; -0.0 and +0.0 are one, shown as +0.0.
    ///
    /// # Communication
    /// Two all-gathers of a few numbers per rank. Then, with v the size of a value and U the number of this rank's own distinct values: if all
    /// ranks' U are few, one all-gather; if the values lie in a small span, one all-reduce of a bit per possible value; else the
    /// splitters of a sort, and per own distinct value v bytes out. Each of counts and first indices costs 8 bytes per own
    /// distinct value, the inverse 4. At last at most one redistribution of each result. Elements never move, only distinct
    /// values do.
    ///
    /// # Complexity
    /// O(n) for n own elements with few distinct values or a small span, else O(n log n); then O(U log p).
    ///
    /// # Errors
    /// On every rank: [`Error::Disagree`] if the ranks ask for different things; [`Error::Unlike`] for a layout with another
    /// number of elements than there are values, or over other ranks; [`Error::OnRank`] if the inverse is wanted and a rank has more than 2³²
    /// distinct values of its own.
    #[track_caller]
    pub fn run(self) -> Result<Unique<T, D>> {
        let (comm, from) = (self.array.comm(), self.array.layout());
        let _scope = comm.scope("unique");
        self.agree()?;

        let local = dedup_local(self.array.local(), from, comm.rank(), self.wanted);
        let local = match may_outnumber_codes(from) {
            true => comm.agree(local)?,
            false => local.map_err(|why| Error::OnRank { rank: comm.rank(), message: why.to_string() })?,
        };
        let figures = Figures::gather(comm, &local.keys)?;
        let record = size_of::<u64>() * record::<T::Key>(self.wanted);
        let choice = choose_regime(&figures, record, from.split().is_none(), self.regime);
        let (joined, codes) = join(comm, choice.regime, local, &figures, self.wanted)?;

        let to = self.wish.layout(joined.layout.len(), comm.size())?;
        let values: Vec<T> = joined.keys.into_iter().map(T::from_canonical).collect();
        let lay_column =
            |column: Option<Vec<u64>>| column.map(|c| lay(comm, c, &joined.layout, &to)).transpose();
        Ok(Unique {
            values: lay(comm, values, &joined.layout, &to)?,
            counts: lay_column(joined.columns.counts)?,
            first_index: lay_column(joined.columns.first)?,
            inverse: codes
                .map(|codes| {
                    let block = inverse(&codes, joined.ids.as_deref(), self.array.local().shape());
                    DistArray::from_parts(comm, block, from.clone())
                })
                .transpose()?,
            regime: choice,
        })
    }

    /// All ranks ask for the same.
    fn agree(&self) -> Result<()> {
        let facts: [Fact; 4] = [
            ("element type", std::any::type_name::<T>().to_string()),
            ("results asked for", format!("{:?}", self.wanted)),
            ("layout of the results", format!("{:?}", self.wish)),
            ("preferred regime", format!("{:?}", self.regime)),
        ];
        self.array.comm().agree_on("unique", &facts, 0)?;
        self.wish.check(self.array.comm().size())
    }
}

/// Joins all ranks' keys as the regime says; hands the codes back.
fn join<K: Key>(
    comm: &Comm,
    regime: Regime,
    mut local: Local<K>,
    figures: &Figures<K>,
    wanted: Wanted,
) -> Result<(Joined<K>, Option<Vec<u32>>)> {
    let codes = local.codes.take();
    // Positions fit 32 bits if all ranks' keys do, repeated ones counted again: a bound that every rank knows.
    let narrow = u32::try_from(figures.total()).is_ok();
    let joined = match (regime, figures.bounds) {
        (Regime::Local, _) => {
            let layout = Layout::replicated(&[local.keys.len()], comm.size());
            Joined { layout, keys: local.keys, columns: local.columns, ids: None }
        }
        (Regime::Dense, Some(bounds)) if narrow => dense::<K, u32>(comm, &local, bounds, wanted)?,
        (Regime::Dense, Some(bounds)) => dense::<K, u64>(comm, &local, bounds, wanted)?,
        (Regime::Large, Some(_)) if narrow => large::<K, u32>(comm, &local, figures.total(), wanted)?,
        (Regime::Large, Some(_)) => large::<K, u64>(comm, &local, figures.total(), wanted)?,
        // Nothing has neither splitters nor a span.
        (Regime::Small, _) | (_, None) => small(comm, &local, &figures.distinct, wanted)?,
    };
    Ok((joined, codes))
}
