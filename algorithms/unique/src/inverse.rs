//! The last step of the inverse: from the codes of a block to global positions. No communication.

use maniple_core::{memory, shaped};
use ndarray::{Array, Dimension};

/// The block of the inverse: of each element the position of its value among all distinct values.
///
/// `codes` are positions among this rank's keys; `ids[code]` is the global position, the code itself without `ids`.
pub(crate) fn inverse<D: Dimension>(codes: &[u32], ids: Option<&[u64]>, lshape: &[usize]) -> Array<u64, D> {
    let mut block = memory::with_capacity(codes.len());
    match ids {
        None => block.extend(codes.iter().map(|&code| u64::from(code))),
        Some(ids) => block.extend(codes.iter().map(|&code| ids[code as usize])),
    }
    shaped(lshape, block)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::{Ix0, Ix2, arr0, array};

    #[test]
    fn codes_become_positions() {
        let block: Array<u64, Ix2> = inverse(&[0, 1, 1, 0], Some(&[3, 1 << 40]), &[2, 2]);
        assert_eq!(block, array![[3, 1 << 40], [1 << 40, 3]]);
        let scalar: Array<u64, Ix0> = inverse(&[0], None, &[]);
        assert_eq!(scalar, arr0(0));
    }
}
