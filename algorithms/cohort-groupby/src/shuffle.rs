//! Phase 5: one packed exchange of states; owners merge in rank order.

use std::ops::Range;

use maniple_core::{Blocks, Comm, Result};

use crate::assign_owners::{Owners, Position, Strategy};
use crate::prepare::Prepared;
use crate::states::States;
use crate::value::Value;

/// Sends the parts of this rank's labels to their owners and leaves the totals of the groups that this rank owns.
#[track_caller]
pub(crate) fn shuffle<T: Value, K>(comm: &Comm, prepared: &mut Prepared<T, K>) -> Result<()> {
    let Prepared { states, at, numbered, owners, plan } = prepared;
    let wire = match plan.strategy {
        Strategy::ReduceScatter => pack_all(states, at, &numbered.positions, owners),
        Strategy::Cohorts | Strategy::Local => pack_present(states, at, &numbered.positions, owners),
    };
    let groups = owners.groups.count(comm.rank());
    states.begin_totals(groups);
    comm.exchange(&wire.bytes, &wire.blocks, |parts: &[&[u8]]| match plan.strategy {
        Strategy::ReduceScatter => {
            let all: Vec<Position> = (0..groups as Position).collect();
            parts.iter().for_each(|part| states.merge(&all, part));
        }
        Strategy::Cohorts | Strategy::Local => {
            parts.iter().for_each(|part| merge_present(states, part));
        }
    })?;
    Ok(())
}

/// One message for each owner.
struct Wire {
    bytes: Vec<u8>,
    blocks: Blocks,
}

impl Wire {
    fn new(owners: &Owners, bytes: usize, mut pack: impl FnMut(usize, &mut Vec<u8>)) -> Self {
        let mut wire = maniple_core::memory::with_capacity(bytes);
        let mut offsets = vec![0];
        for owner in 0..owners.groups.size() {
            pack(owner, &mut wire);
            offsets.push(wire.len());
        }
        Wire { bytes: wire, blocks: Blocks::between(&offsets) }
    }
}

/// Positions, then parts, of the labels that are here.
fn pack_present<T: Value>(states: &States<T>, at: &[u32], positions: &[usize], owners: &Owners) -> Wire {
    let bytes = at.len() * (size_of::<Position>() + states.bytes_per_label());
    Wire::new(owners, bytes, |owner, wire| {
        let labels = owners.labels.range(owner);
        let first = owners.groups.range(owner).start;
        let to: Vec<Position> =
            positions[labels.clone()].iter().map(|group| (group - first) as Position).collect();
        wire.extend_from_slice(bytemuck::cast_slice(&to));
        states.pack(&at[labels], wire);
    })
}

/// The inverse, at the owner.
fn merge_present<T: Value>(states: &mut States<T>, part: &[u8]) {
    let labels = part.len() / (size_of::<Position>() + states.bytes_per_label());
    let (positions, parts) = part.split_at(labels * size_of::<Position>());
    let to: Vec<Position> =
        positions.as_chunks().0.iter().map(|bytes| Position::from_ne_bytes(*bytes)).collect();
    states.merge(&to, parts);
}

/// Parts of all groups; those of labels that are not here are empty.
fn pack_all<T: Value>(states: &States<T>, at: &[u32], positions: &[usize], owners: &Owners) -> Wire {
    let absent = states.shape().labels as u32;
    let bytes = owners.groups.total() * states.bytes_per_label();
    Wire::new(owners, bytes, |owner, wire| {
        let groups: Range<usize> = owners.groups.range(owner);
        let mut all = vec![absent; groups.len()];
        for label in owners.labels.range(owner) {
            all[positions[label] - groups.start] = at[label];
        }
        states.pack(&all, wire);
    })
}
