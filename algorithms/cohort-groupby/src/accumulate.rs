//! The inner loops: values of a chunk of rows into the accumulators of their labels.

use crate::state::State;

/// Runs at least so long on average are worth a loop of their own.
const LONG_RUN: usize = 8;

/// Accumulators are few if one chunk has at least so many rows for each: copying and folding them is then cheap.
const ROWS_PER_COPY: usize = 16;

/// Copies of few accumulators. Equal codes in a row would otherwise wait for each other's sum to reach memory.
const COPIES: usize = 4;

/// The label codes of some consecutive rows.
#[derive(Debug)]
pub(crate) struct Chunk<'a> {
    codes: &'a [u32],
    /// Where each stretch of equal codes ends, if the stretches are long.
    ends: Option<Vec<usize>>,
}

impl<'a> Chunk<'a> {
    pub(crate) fn new(codes: &'a [u32]) -> Self {
        let breaks = codes.windows(2).filter(|pair| pair[0] != pair[1]).count();
        let ends = (codes.len() >= (breaks + 1) * LONG_RUN).then(|| {
            let breaks = codes.windows(2).enumerate().filter(|(_, pair)| pair[0] != pair[1]);
            breaks.map(|(at, _)| at + 1).chain([codes.len()]).collect()
        });
        Chunk { codes, ends }
    }

    pub(crate) fn codes(&self) -> &'a [u32] {
        self.codes
    }
}

/// Joins each row of `values` (`inner` of them) to the accumulators of its code.
///
/// # Panics
/// If a code has no accumulator.
pub(crate) fn accumulate<T: Copy, S: State<T>>(
    parts: &mut [S::Part],
    chunk: &Chunk<'_>,
    values: &[T],
    inner: usize,
) {
    match &chunk.ends {
        _ if inner != 1 => rows::<T, S>(parts, chunk.codes, values, inner),
        Some(ends) => runs::<T, S>(parts, chunk.codes, ends, values),
        None if parts.len() * ROWS_PER_COPY <= values.len() => few::<T, S>(parts, chunk.codes, values),
        None => each::<T, S>(parts, chunk.codes, values),
    }
}

/// Rows of several lanes: neighbours in memory on both sides.
fn rows<T: Copy, S: State<T>>(parts: &mut [S::Part], codes: &[u32], values: &[T], inner: usize) {
    for (&code, row) in codes.iter().zip(values.chunks_exact(inner.max(1))) {
        let parts = &mut parts[code as usize * inner..][..inner];
        parts.iter_mut().zip(row).for_each(|(part, &x)| *part = S::join(*part, S::of(x)));
    }
}

fn each<T: Copy, S: State<T>>(parts: &mut [S::Part], codes: &[u32], values: &[T]) {
    for (&code, &x) in codes.iter().zip(values) {
        let part = &mut parts[code as usize];
        *part = S::join(*part, S::of(x));
    }
}

/// Few labels: neighbouring rows go to different copies of the accumulators.
fn few<T: Copy, S: State<T>>(parts: &mut [S::Part], codes: &[u32], values: &[T]) {
    let mut copies = vec![[S::IDENTITY; COPIES]; parts.len()];
    let (code_groups, codes) = codes.as_chunks::<COPIES>();
    let (value_groups, values) = values.as_chunks::<COPIES>();
    for (codes, values) in code_groups.iter().zip(value_groups) {
        for copy in 0..COPIES {
            let part = &mut copies[codes[copy] as usize][copy];
            *part = S::join(*part, S::of(values[copy]));
        }
    }
    for (part, copies) in parts.iter_mut().zip(copies) {
        *part = copies.into_iter().fold(*part, S::join);
    }
    each::<T, S>(parts, codes, values);
}

/// Long stretches of one label: its accumulator stays in registers.
fn runs<T: Copy, S: State<T>>(parts: &mut [S::Part], codes: &[u32], ends: &[usize], values: &[T]) {
    let mut begin = 0;
    for &end in ends {
        let part = &mut parts[codes[begin] as usize];
        *part = S::join(*part, S::of_run(&values[begin..end]));
        begin = end;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::{Extreme, Low, Rows, Sum};

    /// All loops against one another, on codes of each kind.
    #[test]
    fn every_loop_gives_the_same_states() {
        let n = 1003;
        let codes: [Vec<u32>; 4] = [
            (0..n).map(|i| i * 7 % 11).collect(),
            (0..n).map(|i| i / 100).collect(),
            (0..n).map(|i| i * i % 500).collect(),
            vec![3; n as usize],
        ];
        let values: Vec<i64> = (0..i64::from(n)).map(|i| i * i % 1009 - 500).collect();
        for codes in &codes {
            let labels = *codes.iter().max().unwrap() as usize + 1;
            let mut oracle = vec![(0, u64::MAX, 0); labels];
            for (&code, &x) in codes.iter().zip(&values) {
                let (sum, low, rows) = &mut oracle[code as usize];
                *sum += i128::from(x);
                *low = <Extreme<Low, false> as State<i64>>::of(x).min(*low);
                *rows += 1;
            }
            for inner in [1, 2] {
                let repeated: Vec<i64> = values.iter().flat_map(|&x| std::iter::repeat_n(x, inner)).collect();
                let chunk = Chunk::new(codes);
                let mut sums = vec![0; labels * inner];
                accumulate::<_, Sum<false>>(&mut sums, &chunk, &repeated, inner);
                let mut lows = vec![u64::MAX; labels * inner];
                accumulate::<_, Extreme<Low, false>>(&mut lows, &chunk, &repeated, inner);
                let mut rows = vec![0; labels * inner];
                accumulate::<_, Rows>(&mut rows, &chunk, &repeated, inner);
                for (at, &(sum, low, count)) in oracle.iter().enumerate() {
                    let lane = at * inner + inner - 1;
                    assert_eq!((sums[lane], lows[lane], rows[lane]), (sum, low, count));
                }
            }
        }
    }

    #[test]
    fn long_runs_are_found() {
        assert!(Chunk::new(&[5; 20]).ends.is_some_and(|ends| ends == [20]));
        assert!(Chunk::new(&[1, 2, 3, 4, 5, 6, 7, 8, 9]).ends.is_none());
        let two = [[1; 8], [2; 8]].concat();
        assert!(Chunk::new(&two).ends.is_some_and(|ends| ends == [8, 16]));
        assert!(Chunk::new(&[]).ends.is_none_or(|ends| ends == [0]));
    }
}
