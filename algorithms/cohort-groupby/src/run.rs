//! A group-by from end to end: the phases in their order.

use maniple_core::{DistArray, Layout};
use ndarray::{Array1, Axis, Dimension};

use crate::aggregation::Aggregations;
use crate::align::{Aligned, align};
use crate::finish::{Finish, replicate};
use crate::grouping::{Grouping, Groups, Result};
use crate::plan::{GroupPlan, cohorts};
use crate::prepare::{Prepared, prepare};
use crate::question::{Asked, Expected, agree_on_question};
use crate::shuffle::shuffle;
use crate::states::Needs;
use crate::value::{Label, Value};

impl<T: Value, L: Label, D: Dimension> Grouping<'_, T, L, D> {
    /// One aggregation, or a tuple of them in one pass over the values.
    ///
    /// # Errors
    /// See [`Grouping`].
    ///
    /// ```
    /// use maniple_core::{Comm, DistArray};
    /// use maniple_groupby::{GroupBy, count, mean, min};
    /// use ndarray::{Axis, array};
    ///
    /// let comm = Comm::solo();
    /// let x = DistArray::from_local(&comm, array![1.5, f32::NAN, 2.0, 4.0], Axis(0))?;
    /// let labels = DistArray::from_local(&comm, array!['b', 'a', 'b', 'b'], Axis(0))?;
    /// let groups = x.group_by(&labels).agg((mean(), min().skip_nan().fill_value(-1.0), count().skip_nan()))?;
    /// let (mean, least, valid) = groups.values;
    /// assert_eq!(groups.labels.gather()?, array!['a', 'b']);
    /// assert!(mean.gather()?[0].is_nan());
    /// assert_eq!(mean.gather()?[1], 2.5);
    /// assert_eq!(least.gather()?, array![-1.0, 1.5]);
    /// assert_eq!(valid.gather()?, array![0, 3]);
    /// # Ok::<(), maniple_groupby::GroupByError>(())
    /// ```
    #[track_caller]
    pub fn agg<A: Aggregations<T>>(&self, aggregations: A) -> Result<Groups<L, A::Values<D>>> {
        let comm = self.values.comm();
        let _scope = comm.scope("group_by");
        let asked = Asked::new(&aggregations, &self.settings, self.labels.layout().len());
        let aligned = self.aligned(&asked)?;
        let mut prepared =
            prepare(comm, self.layouts(), &self.settings, &asked, aligned.block(), asked.needs)?;
        shuffle(comm, &mut prepared)?;

        let layout = self.result_layout(aligned.axis, prepared.plan.groups)?;
        let mut finish = Finish::new(comm, &prepared.states, &layout, &self.settings.defaults);
        let values = aggregations.finish(&mut finish);
        if asked.may_fail {
            finish.agree::<L>(&prepared.numbered.owned)?;
        }
        self.lay_out::<A>(prepared, values)
    }

    /// What [`agg`](Grouping::agg) is going to do with these aggregations: strategy, reason, cohorts, and the bytes it will send.
    ///
    /// # Communication
    /// That of `agg` up to the choice of a strategy, and an exchange and an all-gather to describe the cohorts.
    ///
    /// # Errors
    /// See [`Grouping`].
    ///
    /// ```
    /// # use maniple_core::{Comm, DistArray};
    /// # use maniple_groupby::{GroupBy, mean};
    /// # use ndarray::{Axis, array};
    /// # let comm = Comm::solo();
    /// let x = DistArray::from_local(&comm, array![1, 2, 3], Axis(0))?;
    /// let plan = x.group_by(&x).plan(&mean())?;
    /// assert!(plan.to_string().starts_with("Local: every label lives on its owner alone"));
    /// # Ok::<(), maniple_groupby::GroupByError>(())
    /// ```
    #[track_caller]
    pub fn plan<A: Aggregations<T>>(&self, aggregations: &A) -> Result<GroupPlan> {
        let comm = self.values.comm();
        let _scope = comm.scope("plan of group_by");
        let asked = Asked::new(aggregations, &self.settings, self.labels.layout().len());
        let aligned = self.aligned(&asked)?;
        let only_rows = Needs::default();
        let prepared = prepare(comm, self.layouts(), &self.settings, &asked, aligned.block(), only_rows)?;
        let Prepared { numbered, owners, plan, .. } = prepared;
        Ok(GroupPlan { cohorts: cohorts(comm, &numbered.positions, &owners)?, ..plan })
    }

    /// This rank's rows. An error is one on every rank: it follows from what they agree on before they return it.
    #[track_caller]
    fn aligned(&self, asked: &Asked) -> Result<Aligned<'_, T, L, D>> {
        let aligned = align(&self.values, &self.labels, self.settings.axis);
        if aligned.is_err() {
            let expected = self.settings.expected.as_deref().map(Expected::new);
            agree_on_question(
                self.values.comm(),
                self.layouts(),
                &self.settings,
                expected.as_ref(),
                asked,
                0,
            )?;
        }
        Ok(aligned?)
    }

    fn layouts(&self) -> [&Layout; 2] {
        [self.values.layout(), self.labels.layout()]
    }

    /// The even layout of results that have `groups` in place of the rows.
    fn result_layout(&self, axis: Axis, groups: usize) -> maniple_core::Result<Layout> {
        let mut shape = self.values.layout().shape().to_vec();
        shape[axis.0] = groups;
        Ok(Layout::even(&shape, axis, self.values.comm().size())?)
    }

    /// The results as arrays.
    #[track_caller]
    fn lay_out<A: Aggregations<T>>(
        &self,
        prepared: Prepared<T, L::Key>,
        values: A::Values<D>,
    ) -> Result<Groups<L, A::Values<D>>> {
        let comm = self.values.comm();
        let even =
            Layout::even(&[prepared.plan.groups], Axis(0), comm.size()).map_err(maniple_core::Error::from)?;
        let labels = prepared.numbered.owned.iter().map(|&key| L::from_canonical(key));
        let labels = DistArray::from_parts(comm, labels.collect::<Array1<L>>(), even.clone())?;
        let rows = Array1::from_vec(prepared.states.rows.totals().to_vec());
        let counts = DistArray::from_parts(comm, rows, even)?;
        if !self.settings.replicated {
            return Ok(Groups { labels, counts, values });
        }
        Ok(Groups { labels: replicate(labels)?, counts: replicate(counts)?, values: A::replicate(values)? })
    }
}
