//! A group-by from end to end: the phases in their order.

use maniple_core::{Comm, DistArray, Layout};
use ndarray::{Array1, Axis, Dimension};

use crate::aggregation::Aggregations;
use crate::align::{Aligned, align};
use crate::assign_owners::{Owners, Reason, Strategy, Volumes, choose};
use crate::column::Shape;
use crate::discover_cohorts::{Numbered, discover_cohorts, number_by_list};
use crate::factorize::factorize;
use crate::finish::{AGREE_BYTES, Finish, replicate};
use crate::grouping::{Grouping, Groups, Result};
use crate::plan::{GroupPlan, PlannedBytes, cohorts};
use crate::question::{Expected, agree_on_question};
use crate::reduce_blockwise::{Present, reduce_blockwise};
use crate::shuffle::shuffle;
use crate::states::{Needs, States};
use crate::value::{Label, Value};

/// What is known when states are about to move.
struct Prepared<T: Value, K> {
    states: States<T>,
    present: Present<K>,
    numbered: Numbered<K>,
    owners: Owners,
    plan: GroupPlan,
}

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
        let aligned = align(&self.values, &self.labels, self.axis)?;
        let needs = aggregations.needs(&self.defaults);
        let Prepared { mut states, present, numbered, owners, plan } =
            self.prepare(&aligned, &aggregations, needs)?;
        shuffle(comm, &mut states, &present.at, &numbered.positions, &owners, plan.strategy)?;

        let layout = self.result_layout(aligned.axis, numbered.groups)?;
        let mut finish = Finish::new(comm, &states, &layout, &self.defaults);
        let values = aggregations.finish(&mut finish);
        if self.may_fail(&aggregations, aligned.rows) {
            finish.agree::<L>(&numbered.owned)?;
        }
        self.lay_out::<A>(&states, &numbered, values)
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
        let aligned = align(&self.values, &self.labels, self.axis)?;
        let Prepared { numbered, owners, plan, .. } =
            self.prepare(&aligned, aggregations, Needs::default())?;
        Ok(GroupPlan { cohorts: cohorts(comm, &numbered.positions, &owners)?, ..plan })
    }

    /// Everything up to the shuffle, with the states of `needs` reduced.
    #[track_caller]
    fn prepare<A: Aggregations<T>>(
        &self,
        aligned: &Aligned<'_, T, L, D>,
        aggregations: &A,
        needs: Needs,
    ) -> Result<Prepared<T, L::Key>> {
        let comm = self.values.comm();
        let expected = self.expected.as_deref().map(Expected::new);
        let (outer, inner) = aligned.lanes;
        let factors = factorize(aligned.labels(), outer * inner);
        let (states, present) =
            reduce_blockwise(aligned.labels(), &factors, aligned.values(), aligned.lanes, needs);
        let present = self.wanted(present, expected.as_ref());
        let counts = agree_on_question(self, aggregations, expected.as_ref(), present.keys.len())?;
        let numbered = match &expected {
            Some(expected) => number_by_list(comm, &present.keys, &expected.keys),
            None => discover_cohorts::<L>(comm, &present.keys, &counts)?,
        };
        let owners = Owners::new(&numbered.positions, numbered.groups, comm.size());
        let state = States::<T>::new(aggregations.needs(&self.defaults), Shape { outer, labels: 0, inner });
        let state_bytes = state.bytes_per_label();
        let (strategy, reason, bytes) = self.decide(&numbered, &owners, state_bytes)?;
        let results = self.result_bytes(aggregations, aligned, numbered.groups);
        let plan = GroupPlan {
            strategy,
            reason,
            groups: numbered.groups,
            present: counts.iter().sum(),
            state_bytes,
            bytes: PlannedBytes { results, ..bytes },
            cohorts: Vec::new(),
        };
        Ok(Prepared { states, present, numbered, owners, plan })
    }

    /// The labels that are to be groups.
    fn wanted(&self, present: Present<L::Key>, expected: Option<&Expected<L::Key>>) -> Present<L::Key> {
        let is_wanted = |key: &L::Key| match expected {
            Some(expected) => expected.keys.binary_search(key).is_ok(),
            None => self.keep_nan_labels || !L::from_canonical(*key).is_nan(),
        };
        let Present { keys, at } = present;
        let (keys, at) = keys.into_iter().zip(at).filter(|(key, _)| is_wanted(key)).unzip();
        Present { keys, at }
    }

    /// The strategy, by what all ranks would send; and what they have sent and will send for it.
    #[track_caller]
    fn decide(
        &self,
        numbered: &Numbered<L::Key>,
        owners: &Owners,
        state_bytes: usize,
    ) -> Result<(Strategy, Reason, PlannedBytes)> {
        let comm = self.values.comm();
        let mine = owners.volumes(comm.rank(), state_bytes);
        let all = comm.all_gather(&[numbered.sent, mine.cohorts, mine.reduce_scatter])?;
        let sum = |at: usize| all.iter().skip(at).step_by(3).sum::<u64>();
        let total = Volumes { cohorts: sum(1), reduce_scatter: sum(2) };
        let (strategy, reason) = choose(self.method, total);
        let states = match strategy {
            Strategy::ReduceScatter => total.reduce_scatter,
            Strategy::Cohorts | Strategy::Local => total.cohorts,
        };
        const WORDS: u64 = 2 + 3; // to agree on the question, and to decide
        let discover = sum(0) + pairs(comm) * WORDS * size_of::<u64>() as u64;
        Ok((strategy, reason, PlannedBytes { discover, states, results: 0 }))
    }

    fn may_fail<A: Aggregations<T>>(&self, aggregations: &A, rows: usize) -> bool {
        aggregations.may_fail(&self.defaults, rows, self.expected.is_some())
    }

    /// Bytes sent when the states have been merged.
    fn result_bytes<A: Aggregations<T>>(
        &self,
        aggregations: &A,
        aligned: &Aligned<'_, T, L, D>,
        groups: usize,
    ) -> u64 {
        let comm = self.values.comm();
        let agree = if self.may_fail(aggregations, aligned.rows) { pairs(comm) * AGREE_BYTES } else { 0 };
        let lanes = aligned.lanes.0 * aligned.lanes.1;
        let group = size_of::<L>() + size_of::<u64>() + lanes * aggregations.result_bytes();
        let others = if self.replicated { comm.size() - 1 } else { 0 };
        agree + (others * groups * group) as u64
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
        states: &States<T>,
        numbered: &Numbered<L::Key>,
        values: A::Values<D>,
    ) -> Result<Groups<L, A::Values<D>>> {
        let comm = self.values.comm();
        let layout =
            Layout::even(&[numbered.groups], Axis(0), comm.size()).map_err(maniple_core::Error::from)?;
        let labels = numbered.owned.iter().map(|&key| L::from_canonical(key)).collect::<Array1<L>>();
        let labels = DistArray::from_parts(comm, labels, layout.clone())?;
        let counts = DistArray::from_parts(comm, Array1::from_vec(states.rows.totals().to_vec()), layout)?;
        if !self.replicated {
            return Ok(Groups { labels, counts, values });
        }
        Ok(Groups { labels: replicate(labels)?, counts: replicate(counts)?, values: A::replicate(values)? })
    }
}

/// Pairs of ranks.
fn pairs(comm: &Comm) -> u64 {
    (comm.size() * (comm.size() - 1)) as u64
}
