//! Phase 3, a small span: a bit for each possible key.
//!
//! The ranks' bits are joined by one all-reduce. Then every rank knows all distinct keys, and the position of a key is the
//! number of bits before its own: no key is moved, merged or compared.

use maniple_core::{Comm, Layout, Result};
use maniple_kernels::Key;

use crate::columns::Columns;
use crate::dedup_local::Local;
use crate::joined::{Joined, Wanted};
use crate::slot::Slot;

const BITS: usize = u64::BITS as usize;

/// Joins keys that lie in `low..=high`. The result lies evenly.
///
/// # Communication
/// One all-reduce of a bit for each possible key; if columns are wanted, one exchange of positions and one of each column.
pub(crate) fn dense<K: Key, S: Slot>(
    comm: &Comm,
    local: &Local<K>,
    (low, high): (K, K),
    wanted: Wanted,
) -> Result<Joined<K>> {
    let offset = |key: K| key.wrapping_sub(low).to_u128() as usize;
    let key_at = |offset: usize| low.wrapping_add(K::from_u128(offset as u128));

    let bits = mark(offset(high) + 1, local.keys.iter().map(|&key| offset(key)));
    let present = Ranked::new(comm.all_reduce(&bits, |a, b| a | b)?);

    let layout = Layout::even(&[present.len()], ndarray::Axis(0), comm.size())?;
    let mine = layout.range(comm.rank());
    let keys: Vec<K> = present.from(mine.start).take(mine.len()).map(key_at).collect();
    if !wanted.positions() {
        return Ok(Joined { layout, keys, columns: Columns::default(), ids: None });
    }

    let ids: Vec<u64> = local.keys.iter().map(|&key| present.rank(offset(key))).collect();
    let columns = match local.columns.is_empty() {
        true => Columns::default(),
        false => columns_to_owners::<S>(comm, &local.columns, &ids, &layout)?,
    };
    Ok(Joined { layout, keys, columns, ids: Some(ids) })
}

/// Each rank's figures at the ranks that have the keys in `layout`; `ids` are the global positions of this rank's keys.
fn columns_to_owners<S: Slot>(
    comm: &Comm,
    columns: &Columns,
    ids: &[u64],
    layout: &Layout,
) -> Result<Columns> {
    let ends = (0..comm.size()).map(|r| ids.partition_point(|&id| id < layout.range(r).end as u64));
    let sends = maniple_core::Blocks::between(&std::iter::once(0).chain(ends).collect::<Vec<_>>());
    let relative = sends
        .ranges()
        .zip(layout.displs())
        .flat_map(|(range, begin)| ids[range].iter().map(move |&id| S::at(id as usize - begin)));
    let relative: Vec<S> = relative.collect();
    let answers: Vec<Vec<S>> =
        comm.exchange(&relative, &sends, |parts: &[&[S]]| parts.iter().map(|part| part.to_vec()).collect())?;
    let answers: Vec<&[S]> = answers.iter().map(Vec::as_slice).collect();
    Ok(columns.to_owners(comm, &sends, &answers, layout.count(comm.rank()))?)
}

/// A word of bits for every 64 of `span`, those at `offsets` set.
fn mark(span: usize, offsets: impl Iterator<Item = usize>) -> Vec<u64> {
    let mut bits = vec![0; span.div_ceil(BITS)];
    offsets.for_each(|offset| bits[offset / BITS] |= 1 << (offset % BITS));
    bits
}

/// Bits that know how many are set before each.
#[derive(Debug)]
struct Ranked {
    words: Vec<u64>,
    /// Bits set before each word.
    before: Vec<u64>,
    len: usize,
}

impl Ranked {
    fn new(words: Vec<u64>) -> Self {
        let mut len = 0;
        let mut before = Vec::with_capacity(words.len());
        for word in &words {
            before.push(len);
            len += u64::from(word.count_ones());
        }
        Ranked { words, before, len: len as usize }
    }

    /// Number of bits set.
    fn len(&self) -> usize {
        self.len
    }

    /// Number of bits set before `offset`.
    fn rank(&self, offset: usize) -> u64 {
        let below = (1 << (offset % BITS)) - 1;
        self.before[offset / BITS] + u64::from((self.words[offset / BITS] & below).count_ones())
    }

    /// The offsets of the bits set, from the `nth` on.
    fn from(&self, nth: usize) -> impl Iterator<Item = usize> {
        let word = self.before.partition_point(|&before| before <= nth as u64).saturating_sub(1);
        let skip = nth - self.before.get(word).map_or(0, |&before| before as usize);
        let offsets = |(i, &word): (usize, &u64)| {
            let mut rest = word;
            std::iter::from_fn(move || {
                let bit = (rest != 0).then(|| rest.trailing_zeros() as usize)?;
                rest &= rest - 1;
                Some(i * BITS + bit)
            })
        };
        self.words.iter().enumerate().skip(word).flat_map(offsets).skip(skip)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_ranked_and_listed() {
        let offsets = [0, 5, 63, 64, 200, 201, 319];
        let present = Ranked::new(mark(320, offsets.into_iter()));
        assert_eq!(present.len(), offsets.len());
        for (nth, &offset) in offsets.iter().enumerate() {
            assert_eq!(present.rank(offset), nth as u64);
            assert_eq!(present.from(nth).collect::<Vec<_>>(), offsets[nth..]);
        }
        assert_eq!(present.from(offsets.len()).next(), None);
        assert_eq!(Ranked::new(mark(0, std::iter::empty())).from(0).next(), None);
    }
}
