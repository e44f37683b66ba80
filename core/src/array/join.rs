//! Blocks as they come from several ranks, put together.

use ndarray::{Array, Axis, Dimension};

use crate::memory;

/// The array of `shape` whose parts, each in standard layout, are stacked along `axis` in the order given.
///
/// # Complexity
/// One copy of each element, in runs of what a part has of one index of the axes before `axis`.
///
/// # Panics
/// If the parts do not make up the shape.
///
/// ```
/// use ndarray::{Array2, Axis, array};
/// let joined: Array2<i32> = maniple_core::join(&[2, 3], Axis(1), &[&[1, 2, 4, 5], &[3, 6]]);
/// assert_eq!(joined, array![[1, 2, 3], [4, 5, 6]]);
/// ```
pub fn join<T: Copy, D: Dimension>(shape: &[usize], axis: Axis, parts: &[&[T]]) -> Array<T, D> {
    let mut all = memory::with_capacity(shape.iter().product());
    let outer: usize = shape[..axis.0].iter().product();
    for i in 0..outer {
        for part in parts {
            let run = part.len() / outer;
            all.extend_from_slice(&part[i * run..(i + 1) * run]);
        }
    }
    shaped(shape, all)
}

/// `values` in row-major order as an array of `shape`.
///
/// # Panics
/// If their number is not that of the shape, or the dimension has another number of axes.
pub fn shaped<T, D: Dimension>(shape: &[usize], values: Vec<T>) -> Array<T, D> {
    let mut dim = D::zeros(shape.len());
    dim.slice_mut().copy_from_slice(shape);
    let found = values.len();
    match Array::from_shape_vec(dim, values) {
        Ok(array) => array,
        Err(_) => panic!("{found} elements for an array of shape {shape:?}"),
    }
}
