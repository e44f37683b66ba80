//! Errors that every rank gets: what arises on one rank alone is told to the others before they wait for it.

use std::fmt::Display;
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::call::Ranks;
use crate::comm::Comm;
use crate::error::{Error, Result};

/// Something that must be the same on all ranks, as its name and its value in words.
pub type Fact = (&'static str, String);

impl Comm {
    /// Every rank's success, or on every rank the error of the lowest rank that failed.
    ///
    /// To be called where an operation can fail on one rank alone (its data, its file), before the next collective.
    ///
    /// # Communication
    /// One all-gather of a number per rank; a second one of the message after a failure.
    ///
    /// # Errors
    /// [`Error::OnRank`] on every rank if any has an `Err`; [`Error::Comm`] as every collective.
    ///
    /// ```
    /// # let comm = maniple_core::Comm::solo();
    /// let n: usize = comm.agree("12".parse::<usize>())?;
    /// assert_eq!(n, 12);
    /// assert_eq!(comm.agree("x".parse::<usize>()).unwrap_err().to_string(), "rank 0: invalid digit found in string");
    /// # Ok::<(), maniple_core::Error>(())
    /// ```
    #[track_caller]
    pub fn agree<T, E: Display>(&self, mine: std::result::Result<T, E>) -> Result<T> {
        let _scope = self.scope("agree");
        let message = mine.as_ref().err().map(E::to_string);
        let failed = self.all_gather_value(message.is_some())?;
        let Some(rank) = failed.iter().position(|&failed| failed) else {
            return Ok(mine.unwrap_or_else(|_| unreachable!("no rank failed")));
        };
        let told = message.filter(|_| rank == self.rank()).unwrap_or_default();
        let (text, _) = self.all_gather_v(told.as_bytes())?;
        Err(Error::OnRank { rank, message: String::from_utf8_lossy(&text).into_owned() })
    }

    /// Makes sure that all ranks have the same `facts`, and passes one `number` per rank along.
    ///
    /// # Communication
    /// One all-gather of two numbers per rank; another one of the facts themselves after a disagreement.
    ///
    /// # Errors
    /// [`Error::Disagree`] on every rank, naming the first fact in question; [`Error::Comm`] as every collective.
    #[track_caller]
    pub fn agree_on(&self, operation: &'static str, facts: &[Fact], number: u64) -> Result<Vec<u64>> {
        let _scope = self.scope(operation);
        let all = self.all_gather(&[digest(facts), number])?;
        let (digests, numbers): (Vec<_>, Vec<_>) = all.chunks_exact(2).map(|pair| (pair[0], pair[1])).unzip();
        if digests.iter().all(|&d| d == digests[0]) {
            return Ok(numbers);
        }
        Err(self.disagreement(operation, facts)?)
    }

    #[track_caller]
    fn disagreement(&self, operation: &'static str, facts: &[Fact]) -> Result<Error> {
        const BETWEEN: char = '\u{1f}'; // the unit separator: in no type name and no number
        let words: Vec<&str> = facts.iter().map(|f| f.1.as_str()).collect();
        let (text, blocks) = self.all_gather_v(words.join(&BETWEEN.to_string()).as_bytes())?;
        let of_rank = |r: usize| {
            let text = String::from_utf8_lossy(&text[blocks.range(r)]).into_owned();
            text.split(BETWEEN).map(str::to_string).collect::<Vec<_>>()
        };
        let all: Vec<Vec<String>> = (0..self.size()).map(of_rank).collect();
        let differs = |i: usize| all.iter().find(|of| of.get(i) != all[0].get(i));
        let (i, other) = (0..facts.len()).find_map(|i| Some((i, differs(i)?))).unwrap_or((0, &all[0])); // equal words and unequal digests: not in this world
        let found = other.get(i).cloned().unwrap_or_default();
        let ranks = (0..all.len()).filter(|&r| all[r].get(i) == other.get(i)).collect();
        let expected = all[0].get(i).cloned().unwrap_or_default();
        Ok(Error::Disagree { operation, what: facts[i].0, expected, found, ranks: Ranks::new(ranks) })
    }
}

fn digest(facts: &[Fact]) -> u64 {
    let mut hasher = DefaultHasher::new(); // fixed keys: the same on every rank
    facts.hash(&mut hasher);
    hasher.finish()
}
