//! What the answer should be, by the definition: one group after the other, one lane after the other.

use maniple_groupby::{GroupByError, Label};

use crate::samples::{Sample, Wide};

/// Options of the whole group-by.
#[derive(Clone, Debug)]
pub struct Options {
    pub skip_nan: bool,
    pub keep_nan_labels: bool,
    pub wrapping: bool,
    pub min_count: Option<u64>,
    pub fill: Option<u8>,
}

/// One group: rows, and for each lane sum, mean, count, min, max.
pub struct Group<L> {
    pub label: L,
    pub rows: u64,
    pub lanes: Vec<[Wide; 5]>,
}

/// The groups of `values[outer][row][inner]`, or the first error.
pub fn oracle<T: Sample, L: Label>(
    labels: &[L],
    values: &[T],
    (outer, inner): (usize, usize),
    expected: Option<&[L]>,
    options: &Options,
) -> Result<Vec<Group<L>>, GroupByError> {
    let n = labels.len();
    let same = |a: L, b: L| a.canonical() == b.canonical();
    let mut names: Vec<L> = match expected {
        Some(expected) => expected.to_vec(),
        None => labels.iter().copied().filter(|l| options.keep_nan_labels || !l.is_nan()).collect(),
    };
    names.sort_by_key(|label| label.canonical());
    names.dedup_by(|a, b| same(*a, *b));
    let mut groups = Vec::new();
    for label in names {
        let rows: Vec<usize> = (0..n).filter(|&row| same(labels[row], label)).collect();
        let mut lanes = Vec::new();
        for lane in 0..outer * inner {
            let at = |row: usize| ((lane / inner) * n + row) * inner + lane % inner;
            let group: Vec<T> = rows.iter().map(|&row| values[at(row)]).collect();
            lanes.push(reduce(&group, options));
        }
        // A whole group at a time and one operation after the other, as errors are reported.
        for operation in 0..5 {
            for results in &lanes {
                results[operation].as_ref().map_err(|why| why.clone().of(label))?;
            }
        }
        let lanes = lanes.into_iter().map(|r| r.map(|result| result.unwrap())).collect();
        groups.push(Group { label: L::from_canonical(label.canonical()), rows: rows.len() as u64, lanes });
    }
    Ok(groups)
}

#[derive(Clone, Debug)]
enum Why {
    Overflow(i128, &'static str),
    Missing(&'static str, u64, u64),
}

impl Why {
    fn of<L: Label>(self, label: L) -> GroupByError {
        let label = format!("{:?}", L::from_canonical(label.canonical()));
        match self {
            Why::Overflow(sum, expected) => GroupByError::Overflow { label, sum, expected },
            Why::Missing(operation, expected, found) => {
                GroupByError::Missing { operation, label, expected, found }
            }
        }
    }
}

/// The five results of one group in one lane.
fn reduce<T: Sample>(group: &[T], options: &Options) -> [Result<Wide, Why>; 5] {
    let is_nan = |x: &T| matches!(x.wide(), Wide::Float(x) if x.is_nan());
    let kept: Vec<T> = group.iter().copied().filter(|x| !(options.skip_nan && is_nan(x))).collect();
    let valid = kept.len() as u64;
    let fill = options.fill.map(T::sample);
    let nan = T::FLOAT.then_some(Wide::Float(f64::NAN));

    let least = u64::from(fill.is_some());
    let (for_sum, for_others) = (options.min_count.unwrap_or(least), options.min_count.unwrap_or(1).max(1));
    let or_missing = |operation, needed: u64, fill: Option<Wide>, found: Result<Wide, Why>| {
        if valid < needed { fill.ok_or(Why::Missing(operation, needed, valid)) } else { found }
    };
    let total = sum(&kept);
    let fits = match total {
        Wide::Int(sum) => (T::SUMS.0..=T::SUMS.1).contains(&sum) || options.wrapping,
        Wide::Float(_) => true,
    };
    let found = match (fits, total) {
        (false, Wide::Int(sum)) => Err(Why::Overflow(sum, std::any::type_name::<T::Sum>())),
        _ => Ok(wide_sum::<T>(total)),
    };
    let as_float = |wide: Wide| match wide {
        Wide::Int(sum) => sum as f64,
        Wide::Float(sum) => sum,
    };
    let mean = match T::FLOAT && size_of::<T>() == 4 {
        true => f64::from((as_float(total) / valid as f64) as f32),
        false => as_float(total) / valid as f64,
    };
    let fill_mean = fill.map(|x| Wide::Float(as_float(x.wide()))).or(Some(Wide::Float(f64::NAN)));
    let fill_kept = fill.map(Sample::wide).or(nan);
    [
        or_missing("sum", for_sum, fill.map(Sample::wide).or(nan), found),
        or_missing("mean", for_others, fill_mean, Ok(Wide::Float(mean))),
        Ok(Wide::Int(valid.into())),
        or_missing("min", for_others, fill_kept, Ok(extreme(&kept, true))),
        or_missing("max", for_others, fill_kept, Ok(extreme(&kept, false))),
    ]
}

fn sum<T: Sample>(kept: &[T]) -> Wide {
    match T::FLOAT {
        false => Wide::Int(kept.iter().map(|x| if let Wide::Int(x) = x.wide() { x } else { 0 }).sum()),
        true => Wide::Float(
            kept.iter().fold(0.0, |sum, x| sum + if let Wide::Float(x) = x.wide() { x } else { 0.0 }),
        ),
    }
}

/// In the type of sums, and back.
fn wide_sum<T: Sample>(total: Wide) -> Wide {
    match (total, T::FLOAT) {
        (Wide::Int(sum), false) if T::SUMS.0 == 0 => Wide::Int((sum as u64).into()),
        (Wide::Int(sum), false) => Wide::Int((sum as i64).into()),
        (Wide::Float(sum), true) if size_of::<T>() == 4 => Wide::Float((sum as f32).into()),
        (sum, _) => sum,
    }
}

/// The least or greatest value; NaN if there is one; of two zeros the negative is less.
fn extreme<T: Sample>(kept: &[T], least: bool) -> Wide {
    let better = |a: Wide, b: Wide| match (a, b) {
        (Wide::Int(a), Wide::Int(b)) => (a < b) == least && a != b,
        (Wide::Float(a), Wide::Float(b)) => {
            a.is_nan() || !b.is_nan() && a.total_cmp(&b).is_lt() == least && a.to_bits() != b.to_bits()
        }
        _ => false,
    };
    let mut values = kept.iter().map(|x| x.wide());
    let first = values.next().unwrap_or(Wide::Float(f64::NAN)); // the caller finds it missing
    values.fold(first, |best, x| if better(x, best) { x } else { best })
}
