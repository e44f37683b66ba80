//! The record with which a rank enters a collective: what every error message about it is made of.

use std::cell::Cell;
use std::fmt;
use std::panic::Location;
use std::rc::Rc;

use crate::element::ElemSig;

/// Which collective a rank has called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // named after the methods of `Communicator`
#[non_exhaustive]
pub enum Op {
    Barrier,
    Bcast,
    AllGather,
    AllGatherV,
    AllToAll,
    AllToAllV,
    Exchange,
    ExchangeWith,
    Split,
}

impl Op {
    /// The method's name.
    pub fn name(self) -> &'static str {
        match self {
            Op::Barrier => "barrier",
            Op::Bcast => "bcast",
            Op::AllGather => "all_gather",
            Op::AllGatherV => "all_gather_v",
            Op::AllToAll => "all_to_all",
            Op::AllToAllV => "all_to_all_v",
            Op::Exchange => "exchange",
            Op::ExchangeWith => "exchange_with",
            Op::Split => "split",
        }
    }
}

/// One rank's call of one collective.
///
/// Two ranks are in the same collective if operation, element type, agreed length, root and scope are equal; where they
/// were called from is only for people to read.
#[derive(Clone, Copy, Debug)]
pub struct Call {
    /// The collective.
    pub op: Op,
    /// Type of the elements that move, if any do.
    pub elem: Option<ElemSig>,
    /// A number of elements that must be the same on all ranks.
    pub len: Option<usize>,
    /// The root, which must be the same on all ranks.
    pub root: Option<usize>,
    /// A digest of other arguments that must be the same on all ranks.
    pub args: Option<u64>,
    /// Where this rank called from.
    pub at: &'static Location<'static>,
    /// The operation of which this collective is a part, and where *that* was called from.
    pub scope: Option<Scope>,
}

/// A named operation that consists of collectives, such as a sort.
#[derive(Clone, Copy, Debug)]
pub struct Scope {
    /// Its name.
    pub name: &'static str,
    /// Where it was called from.
    pub at: &'static Location<'static>,
}

impl Call {
    /// Do both records mean the same collective?
    pub fn agrees(&self, other: &Call) -> bool {
        self.op == other.op
            && self.elem == other.elem
            && self.len == other.len
            && self.root == other.root
            && self.args == other.args
            && self.scope.map(|s| s.name) == other.scope.map(|s| s.name)
    }
}

impl fmt::Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.op.name())?;
        if let Some(elem) = self.elem {
            write!(f, "::<{}>", elem.name())?;
        }
        if let Some(len) = self.len {
            write!(f, " len {len}")?;
        }
        if let Some(root) = self.root {
            write!(f, " root {root}")?;
        }
        if let Some(args) = self.args {
            write!(f, " args {args:016x}")?;
        }
        if let Some(scope) = self.scope {
            write!(f, " in {}", scope.name)?;
        }
        let at = self.scope.map_or(self.at, |s| s.at);
        write!(f, " at {}:{}", at.file(), at.line())
    }
}

/// Ends a [scope](crate::Comm::scope) when dropped.
#[derive(Debug)]
pub struct ScopeGuard {
    current: Rc<Cell<Option<Scope>>>,
    before: Option<Scope>,
}

impl ScopeGuard {
    /// The outermost scope is the one a user called, so an inner one changes nothing.
    pub(crate) fn enter(current: &Rc<Cell<Option<Scope>>>, scope: Scope) -> Self {
        let before = current.get();
        if before.is_none() {
            current.set(Some(scope));
        }
        ScopeGuard { current: Rc::clone(current), before }
    }
}

impl Drop for ScopeGuard {
    fn drop(&mut self) {
        self.current.set(self.before);
    }
}

/// A set of ranks as people write it: `rank 3`, `ranks 0-2, 7`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ranks(Vec<usize>);

impl Ranks {
    /// The ranks, in any order.
    pub fn new(mut ranks: Vec<usize>) -> Self {
        ranks.sort_unstable();
        ranks.dedup();
        Ranks(ranks)
    }

    /// The ranks, rising.
    pub fn as_slice(&self) -> &[usize] {
        &self.0
    }
}

impl fmt::Display for Ranks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.len() == 1 { "rank " } else { "ranks " })?;
        let runs = self.0.chunk_by(|a, b| a + 1 == *b);
        for (i, run) in runs.enumerate() {
            let (first, last) = (run[0], run[run.len() - 1]);
            let comma = if i == 0 { "" } else { ", " };
            match run.len() {
                1 => write!(f, "{comma}{first}")?,
                2 => write!(f, "{comma}{first}, {last}")?,
                _ => write!(f, "{comma}{first}-{last}")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_written_as_runs() {
        assert_eq!(Ranks::new(vec![3]).to_string(), "rank 3");
        assert_eq!(Ranks::new(vec![7, 0, 1, 2]).to_string(), "ranks 0-2, 7");
        assert_eq!(Ranks::new(vec![0, 1]).to_string(), "ranks 0, 1");
    }

    #[test]
    fn a_call_reads_like_source() {
        let at = Location::caller();
        let (op, elem) = (Op::AllGather, Some(ElemSig::of::<u64>()));
        let mut call = Call { op, elem, len: Some(1), root: None, args: None, at, scope: None };
        assert_eq!(call.to_string(), format!("all_gather::<u64> len 1 at {}:{}", at.file(), at.line()));
        call.scope = Some(Scope { name: "sort", at });
        assert!(call.to_string().contains(" in sort at "));
    }

    #[test]
    fn the_outermost_scope_stays() {
        let current = Rc::new(Cell::new(None));
        let at = Location::caller();
        let outer = ScopeGuard::enter(&current, Scope { name: "unique", at });
        drop(ScopeGuard::enter(&current, Scope { name: "sort", at }));
        assert_eq!(current.get().map(|s| s.name), Some("unique"));
        drop(outer);
        assert!(current.get().is_none());
    }
}
