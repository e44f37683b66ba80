//! An array in another layout.

use maniple_core::{DistArray, DistArrayBase, Element, Error, Layout, Result, SendTo, join, shaped};
use ndarray::{Array, CowArray, Data, Dimension, Slice};

use crate::plan::{Piece, Plan};

/// Changes of layout, as methods of distributed arrays.
pub trait Redistribute<T, D> {
    /// The same array in the layout `target`.
    ///
    /// # Shapes
    /// `target` is a layout of the same shape over the same ranks: another cut of the same axis, another axis, or replicated.
    ///
    /// # Communication
    /// One exchange with the ranks that have a part of this rank's new block, or want one of its old; exactly the elements
    /// move whose rank changes. Before that an all-gather of two numbers, to make sure of the target. To a replicated layout:
    /// all of the array to every rank. From one: no element moves.
    ///
    /// # Errors
    /// On every rank, before anything moves: [`Error::Disagree`] if the ranks name different targets, [`Error::Unlike`] if
    /// the target has another shape or number of ranks.
    fn redistribute(&self, target: &Layout) -> Result<DistArray<T, D>>;

    /// As [`redistribute`](Redistribute::redistribute), giving the array away: one that lies right already is not copied.
    ///
    /// # Errors
    /// As there.
    fn into_layout(self, target: &Layout) -> Result<DistArray<T, D>>;

    /// The same array, split evenly along the same axis.
    ///
    /// # Errors
    /// [`Error::Comm`], as every collective.
    fn balance(&self) -> Result<DistArray<T, D>>;
}

impl<S, D> Redistribute<S::Elem, D> for DistArrayBase<S, D>
where
    S: Data,
    S::Elem: Element,
    D: Dimension,
{
    #[track_caller]
    fn redistribute(&self, target: &Layout) -> Result<DistArray<S::Elem, D>> {
        let _scope = self.comm().scope("redistribute");
        check(self, target)?;
        match self.layout() == target {
            true => Ok(self.to_owned()),
            false => move_pieces(self, target),
        }
    }

    #[track_caller]
    fn into_layout(self, target: &Layout) -> Result<DistArray<S::Elem, D>> {
        let comm = self.comm().clone();
        let _scope = comm.scope("into_layout");
        check(&self, target)?;
        match self.layout() == target {
            true => Ok(self.into_owned()),
            false => move_pieces(&self, target),
        }
    }

    #[track_caller]
    fn balance(&self) -> Result<DistArray<S::Elem, D>> {
        let _scope = self.comm().scope("balance");
        match self.layout().split() {
            None => Ok(self.to_owned()),
            Some(axis) => self.redistribute(&Layout::even(self.layout().shape(), axis, self.comm().size())?),
        }
    }
}

/// All ranks mean the same layout, and it is one of this array.
fn check<S: Data, D: Dimension>(x: &DistArrayBase<S, D>, target: &Layout) -> Result<()> {
    const NAME: &str = "redistribute";
    x.comm().agree_on(NAME, &[("target layout", format!("{target:?}"))], 0)?;
    let unlike =
        |what, expected: String, found: String| Err(Error::Unlike { operation: NAME, what, expected, found });
    if target.size() != x.layout().size() {
        return unlike("number of ranks", x.layout().size().to_string(), target.size().to_string());
    }
    if target.shape() != x.layout().shape() {
        return unlike(
            "shape of the target layout",
            format!("{:?}", x.layout().shape()),
            format!("{:?}", target.shape()),
        );
    }
    Ok(())
}

/// Plan, pack, one exchange, join.
fn move_pieces<S, D>(x: &DistArrayBase<S, D>, target: &Layout) -> Result<DistArray<S::Elem, D>>
where
    S: Data,
    S::Elem: Element,
    D: Dimension,
{
    let rank = x.comm().rank();
    let plan = Plan::new(x.layout(), target, rank);
    let packed: Vec<_> = plan.sends().iter().map(|piece| pack(x, piece)).collect();
    let sends: Vec<_> =
        packed.iter().zip(plan.sends()).map(|(p, piece)| SendTo::new(piece.rank, slice(p))).collect();
    let sources: Vec<_> = plan.recvs().iter().map(|piece| (piece.rank, piece.len())).collect();
    let received = x.comm().collect_from(&sends, &sources)?;
    let local = unpack(x.layout(), &target.lshape(rank), &sources, received);
    DistArray::from_parts(x.comm(), local, target.clone())
}

/// A piece of this rank's block in standard layout: the block's own memory where it lies so, else a copy.
fn pack<'a, S, D>(x: &'a DistArrayBase<S, D>, piece: &Piece) -> CowArray<'a, S::Elem, D>
where
    S: Data,
    S::Elem: Element,
    D: Dimension,
{
    let mut part = x.local();
    for (axis, global) in piece.global.iter().enumerate() {
        let axis = ndarray::Axis(axis);
        let begin = match x.layout().split() {
            Some(split) if split == axis => x.layout().range(x.comm().rank()).start,
            _ => 0,
        };
        part.slice_axis_inplace(axis, Slice::from(global.start - begin..global.end - begin));
    }
    match part.is_standard_layout() {
        true => CowArray::from(part),
        false => CowArray::from(part.as_standard_layout().into_owned()),
    }
}

fn slice<'a, T, D: Dimension>(packed: &'a CowArray<'_, T, D>) -> &'a [T] {
    packed.as_slice().unwrap_or_else(|| unreachable!("packed in standard layout"))
}

/// The new block from its pieces, which stack along the axis that the array was split along.
fn unpack<T: Element, D: Dimension>(
    from: &Layout,
    lshape: &[usize],
    sources: &[(usize, usize)],
    received: Vec<T>,
) -> Array<T, D> {
    match from.split() {
        Some(axis) if lshape[..axis.0].iter().any(|&n| n > 1) => {
            let mut rest = &received[..];
            let parts: Vec<_> = sources
                .iter()
                .map(|&(_, len)| {
                    let (part, behind) = rest.split_at(len);
                    rest = behind;
                    part
                })
                .collect();
            join(lshape, axis, &parts)
        }
        _ => shaped(lshape, received), // one run per piece: received in place
    }
}
