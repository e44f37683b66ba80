//! What users call.

use maniple_core::{DistArray, DistArrayBase, Element, Layout, Result};
use maniple_kernels::{Order, SortKey};
use ndarray::{CowArray, Data, Ix1};

use crate::argsort::{Indexed, argsort, sort_with_indices};
use crate::options::{Input, Options};
use crate::sort::sort;

/// Sorting, as methods of one-dimensional distributed arrays. Each begins a [`Sorting`]: options, then `run()`.
///
/// # Shapes
/// Any layout: empty ranks, more ranks than elements, everything on one rank, replicated. The result has the same layout
/// unless [`layout`](Sorting::layout) says otherwise.
///
/// # Order and ties
/// Numbers ascending, then NaN of either sign. `sort` keeps bit patterns and puts -0.0 before +0.0. To `argsort`, zeros of
/// either sign are equal, as are all NaNs, and equal elements keep the order of their indices; falling order too.
///
/// # Examples
/// ```
/// use maniple_core::{Comm, DistArray};
/// use maniple_sort::Sort;
/// use ndarray::{Axis, array};
///
/// let comm = Comm::solo();
/// let x = DistArray::from_local(&comm, array![2, 5, 2, 5, 1], Axis(0))?;
/// assert_eq!(x.sort().run()?.gather()?, array![1, 2, 2, 5, 5]);
/// assert_eq!(x.argsort().descending().run()?.gather()?, array![1, 3, 0, 2, 4]);
/// # Ok::<(), maniple_core::Error>(())
/// ```
pub trait Sort<T> {
    /// The elements in order.
    fn sort(&self) -> Sorting<'_, T, DistArray<T, Ix1>>;

    /// As [`sort`](Sort::sort), giving the array away. An owned block serves as workspace, and is returned as it is if the
    /// array is in order already and its layout is the wanted one.
    fn into_sorted<'a>(self) -> Sorting<'a, T, DistArray<T, Ix1>>
    where
        Self: 'a;

    /// The global indices of the elements in order: a stable sort.
    fn argsort(&self) -> Sorting<'_, T, DistArray<u64, Ix1>>;

    /// The indices of [`argsort`](Sort::argsort), and the elements that they point at.
    fn sort_with_indices(&self) -> Sorting<'_, T, Indexed<T>>;
}

impl<S, T> Sort<T> for DistArrayBase<S, Ix1>
where
    S: Data<Elem = T>,
    T: SortKey + Element,
{
    fn sort(&self) -> Sorting<'_, T, DistArray<T, Ix1>> {
        Sorting::new("sort", borrowed(self), sort)
    }

    fn into_sorted<'a>(self) -> Sorting<'a, T, DistArray<T, Ix1>>
    where
        Self: 'a,
    {
        let (comm, layout) = (self.comm().clone(), self.layout().clone());
        let local = CowArray::from(self.into_local().into_owned());
        Sorting::new("sort", alike(DistArrayBase::from_parts(&comm, local, layout)), sort)
    }

    fn argsort(&self) -> Sorting<'_, T, DistArray<u64, Ix1>> {
        Sorting::new("argsort", borrowed(self), argsort)
    }

    fn sort_with_indices(&self) -> Sorting<'_, T, Indexed<T>> {
        Sorting::new("sort_with_indices", borrowed(self), sort_with_indices)
    }
}

fn borrowed<S: Data<Elem = T>, T>(x: &DistArrayBase<S, Ix1>) -> Input<'_, T> {
    alike(DistArrayBase::from_parts(x.comm(), CowArray::from(x.local()), x.layout().clone()))
}

fn alike<X>(same: Result<X>) -> X {
    same.unwrap_or_else(|_| unreachable!("the block of an array has the shape that its layout says"))
}

/// A sort that is about to run: options, then [`run`](Sorting::run).
///
/// All ranks give the same options.
#[must_use = "nothing is sorted before `run`"]
#[derive(Debug)]
pub struct Sorting<'a, T, R> {
    x: Input<'a, T>,
    options: Options,
    entry: fn(Input<'a, T>, &Options) -> Result<R>,
}

impl<'a, T, R> Sorting<'a, T, R> {
    fn new(name: &'static str, x: Input<'a, T>, entry: fn(Input<'a, T>, &Options) -> Result<R>) -> Self {
        let options = Options { name, order: Order::ASCENDING, layout: None, shortcuts: true };
        Sorting { x, options, entry }
    }

    /// The greatest number first. NaNs stay last, unless [`nan_first`](Sorting::nan_first) says otherwise.
    pub fn descending(mut self) -> Self {
        self.options.order = self.options.order.descending();
        self
    }

    /// NaNs before all numbers, in either direction.
    pub fn nan_first(mut self) -> Self {
        self.options.order = self.options.order.nan_first();
        self
    }

    /// The result in this layout instead of the input's.
    pub fn layout(mut self, layout: Layout) -> Self {
        self.options.layout = Some(layout);
        self
    }

    /// Whether input that allows it is sorted in a shorter way; it is, if not said. The result is the same: this is for tests
    /// and measurements.
    pub fn shortcuts(mut self, yes: bool) -> Self {
        self.options.shortcuts = yes;
        self
    }

    /// Sorts.
    ///
    /// # Communication
    /// An all-gather of two numbers per rank, then what the input needs:
    ///
    /// | input | collectives |
    /// |---|---|
    /// | in order already | an all-gather of two elements, and what [`redistribute`](maniple_lshape::Redistribute) moves: nothing in an unchanged layout |
    /// | in order backwards (not argsort) | an all-gather of two elements and one exchange, in pieces where blocks can swap in place |
    /// | in order once each rank has sorted its own (not argsort) | an all-gather of two elements |
    /// | at most 64 KiB in all | one exchange of everything |
    /// | so few different elements that counts are shorter (not argsort) | an all-reduce, or three all-gathers, of counts |
    /// | any other | the rounds of [`find_splitters`](crate::find_splitters), an exclusive scan of a number per rank, one exchange |
    ///
    /// An element moves at most once (to every rank, where everything moves). With it, in an argsort, go 4 bytes of position, 8
    /// beyond 2³² elements on a rank; in `sort_with_indices` of floats, its own bits too.
    ///
    /// # Complexity
    /// Sorting its own elements and merging as many as it gets, on each rank. Besides input and result, memory for one
    /// more copy of the keys (not for `into_sorted`), and for an argsort of the positions.
    ///
    /// # Errors
    /// On every rank, before any element moves: [`Error::Disagree`](maniple_core::Error::Disagree) if the ranks ask for different
    /// things, [`Error::Unlike`](maniple_core::Error::Unlike) for a layout of another length or number of ranks;
    /// [`Error::Comm`](maniple_core::Error::Comm) as every collective.
    ///
    /// # Source
    /// Pivot sort with exact splitters and stable division of equal keys; see the crate's page.
    #[track_caller]
    pub fn run(self) -> Result<R> {
        let comm = self.x.comm().clone();
        let _scope = comm.scope(self.options.name);
        (self.entry)(self.x, &self.options)
    }
}
