//! What the user asked for, and whether all ranks asked for the same.

use maniple_core::{Comm, DistArray, DistArrayBase, Element, Error, Layout, Result};
use maniple_kernels::Order;
use maniple_lshape::Redistribute;
use ndarray::{Array1, CowRepr, Ix1};

use crate::look::Look;

/// The input: given away, or borrowed.
pub(crate) type Input<'a, T> = DistArrayBase<CowRepr<'a, T>, Ix1>;

/// The options of every kind of sort.
#[derive(Clone, Debug)]
pub(crate) struct Options {
    /// The operation's name, for messages.
    pub(crate) name: &'static str,
    pub(crate) order: Order,
    pub(crate) layout: Option<Layout>,
    pub(crate) shortcuts: bool,
}

/// The options after all ranks have agreed on them.
pub(crate) struct Agreed {
    /// The layout of the result.
    pub(crate) target: Layout,
    /// What each rank has seen of its part.
    pub(crate) looks: Vec<Look>,
    pub(crate) shortcuts: bool,
}

impl Options {
    /// Makes sure that all ranks want the same and that it can be had, and gathers what each has seen of its part.
    pub(crate) fn agree<T>(&self, x: &Input<'_, T>, look: Look) -> Result<Agreed> {
        let target = self.layout.as_ref().unwrap_or(x.layout());
        let facts = [
            ("order", format!("{:?}, NaN {:?}", self.order.direction, self.order.nan)),
            ("layout of the result", format!("{target:?}")),
            ("use of shortcuts", self.shortcuts.to_string()),
        ];
        let looks = x.comm().agree_on(self.name, &facts, look.packed())?;
        self.check(x.layout(), target)?;
        Ok(Agreed {
            target: target.clone(),
            looks: looks.into_iter().map(Look::unpacked).collect(),
            shortcuts: self.shortcuts,
        })
    }

    /// The result has the elements and the ranks of the input.
    fn check(&self, input: &Layout, target: &Layout) -> Result<()> {
        let unlike = |what, expected: String, found: String| {
            Err(Error::Unlike { operation: self.name, what, expected, found })
        };
        if target.size() != input.size() {
            let (expected, found) = (input.size().to_string(), target.size().to_string());
            return unlike("number of ranks of the wanted layout", expected, found);
        }
        if target.shape() != input.shape() {
            let (expected, found) = (format!("{:?}", input.shape()), format!("{:?}", target.shape()));
            return unlike("shape of the wanted layout", expected, found);
        }
        Ok(())
    }
}

impl Agreed {
    /// The result, brought into the wanted layout if the phases have produced it in another one.
    #[track_caller]
    pub(crate) fn deliver<T: Element>(
        &self,
        comm: &Comm,
        local: Vec<T>,
        layout: Layout,
    ) -> Result<DistArray<T, Ix1>> {
        let result = DistArrayBase::from_parts(comm, Array1::from_vec(local), layout)?;
        match result.layout() == &self.target {
            true => Ok(result),
            false => result.into_layout(&self.target),
        }
    }
}
