//! Parts of a communicator.

use std::ffi::c_int;
use std::rc::Rc;

use maniple_core::CommError;

use super::Mpi;
use crate::pulse;

impl Mpi {
    /// MPI's colors and keys are ints and ours are not: who is where is worked out first, and MPI gets small numbers.
    pub(super) fn part(&self, color: Option<u32>, key: i64) -> Result<Option<Self>, CommError> {
        let color_of = |color: Option<u32>| color.map_or(0, |c| u64::from(c) + 1);
        let rising = (key as u64) ^ (1 << 63); // ordered as the signed keys are
        let mine = [color_of(color), rising, u64::from(self.world.made.get())];
        let rows = self.handle.all_gather_u64(&mine)?;
        let row = |rank: usize| &rows[3 * rank..][..3];

        let mut colors: Vec<u64> = (0..self.size).map(|r| row(r)[0]).filter(|&c| c > 0).collect();
        colors.sort_unstable();
        colors.dedup();
        let mut part: Vec<usize> = (0..self.size).filter(|&r| row(r)[0] == mine[0]).collect();
        part.sort_by_key(|&r| row(r)[1]);
        // A number in the pulse that no member has used: ranks of different parts may use the same one.
        let number = part.iter().map(|&r| row(r)[2]).max().unwrap_or(0) as u32 + 1;
        if number > pulse::MOST {
            let message = format!("{} communicators have been made, which is the most", pulse::MOST);
            return Err(CommError::Transport { function: "MPI_Comm_split", message });
        }
        let place = part.iter().position(|&r| r == self.rank).unwrap_or(0);
        let color = color.map(|_| colors.binary_search(&mine[0]).unwrap_or(0) as c_int);
        let Some(handle) = self.handle.split(color, place as c_int)? else { return Ok(None) };
        self.world.made.set(number);
        let members = part.iter().map(|&r| self.joined.members[r]).collect();
        Ok(Some(Mpi::new(Rc::clone(&self.world), handle, number, members)))
    }
}
