//! Phase 3, few keys: every rank gathers all ranks' keys and merges them alike.

use maniple_core::{Blocks, Comm, Layout, Result};
use maniple_kernels::Key;

use crate::columns::Columns;
use crate::dedup_local::Local;
use crate::joined::{Joined, Wanted};
use crate::merge::{answer, merge};

/// Joins keys of which rank r has `distinct[r]`. Every rank has the whole result.
///
/// # Communication
/// One all-gather.
pub(crate) fn small<K: Key>(
    comm: &Comm,
    local: &Local<K>,
    distinct: &[usize],
    wanted: Wanted,
) -> Result<Joined<K>> {
    let width = record::<K>(wanted);
    let blocks = Blocks::packed(distinct.iter().map(|n| n * width).collect());
    let mut records = vec![0; blocks.total()];
    comm.all_gather_v_into(&pack(local, width), &mut records, &blocks)?;

    let of_ranks: Vec<Local<K>> =
        blocks.ranges().map(|range| unpack(&records[range], width, wanted)).collect();
    let runs: Vec<&[K]> = of_ranks.iter().map(|of_rank| &of_rank.keys[..]).collect();
    let keys = merge(&runs);
    let layout = Layout::replicated(&[keys.len()], comm.size());
    if !wanted.positions() {
        return Ok(Joined { layout, keys, columns: Columns::default(), ids: None });
    }

    let answers: Vec<Vec<u64>> = runs.iter().map(|run| answered(run, &keys)).collect();
    let all: Vec<&[u64]> = answers.iter().map(Vec::as_slice).collect();
    let columns = local.columns.try_map(|column, _| {
        let parts: Vec<&[u64]> = of_ranks.iter().filter_map(|of_rank| of_rank.columns.get(column)).collect();
        Ok::<_, maniple_core::Error>(column.fold(&parts, &all, keys.len()))
    })?;
    let ids = all[comm.rank()].to_vec();
    Ok(Joined { layout, keys, columns, ids: Some(ids) })
}

fn answered<K: Key>(run: &[K], keys: &[K]) -> Vec<u64> {
    let mut answers = Vec::with_capacity(run.len());
    answer(run, keys, &mut answers);
    answers
}

/// Words of a key.
const fn words<K: Key>() -> usize {
    K::BITS.div_ceil(u64::BITS) as usize
}

/// Words of a key with its columns: what is gathered of each.
pub(crate) fn record<K: Key>(wanted: Wanted) -> usize {
    words::<K>() + usize::from(wanted.counts) + usize::from(wanted.first_index)
}

fn pack<K: Key>(local: &Local<K>, width: usize) -> Vec<u64> {
    let mut records = Vec::with_capacity(local.keys.len() * width);
    for (i, key) in local.keys.iter().enumerate() {
        let wide = key.to_u128();
        records.extend_from_slice(&[wide as u64, (wide >> 64) as u64][..words::<K>()]);
        records.extend(local.columns.iter().map(|(_, figures)| figures[i]));
    }
    records
}

fn unpack<K: Key>(records: &[u64], width: usize, wanted: Wanted) -> Local<K> {
    let column = |at: usize| records.chunks_exact(width).map(|record| record[at]).collect::<Vec<_>>();
    let key = |record: &[u64]| {
        record[..words::<K>()].iter().rev().fold(0, |wide: u128, &word| wide << 64 | u128::from(word))
    };
    let counts = words::<K>();
    let first = counts + usize::from(wanted.counts);
    Local {
        keys: records.chunks_exact(width).map(|record| K::from_u128(key(record))).collect(),
        columns: Columns {
            counts: wanted.counts.then(|| column(counts)),
            first: wanted.first_index.then(|| column(first)),
        },
        codes: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_come_back() {
        let local = Local {
            keys: vec![1_u128 << 100 | 7, u128::MAX],
            columns: Columns { counts: Some(vec![3, 4]), first: Some(vec![5, 6]) },
            codes: None,
        };
        for (counts, first_index) in [(true, true), (true, false), (false, true), (false, false)] {
            let wanted = Wanted { counts, first_index, inverse: false };
            let mut asked = local.clone();
            asked.columns.counts = asked.columns.counts.filter(|_| counts);
            asked.columns.first = asked.columns.first.filter(|_| first_index);
            let width = record::<u128>(wanted);
            assert_eq!(unpack::<u128>(&pack(&asked, width), width, wanted), asked);
        }
    }
}
