//! What one rank alone knows, told to all.

use crate::comm::Comm;
use crate::error::Error;

/// Everyone succeeded: each keeps its own.
pub(super) fn agree_on_success(comm: &Comm) {
    let mine: Result<usize, String> = Ok(comm.rank());
    assert_eq!(comm.agree(mine).unwrap(), comm.rank());
}

/// One or several failed: everyone has the words of the lowest.
pub(super) fn agree_on_an_error(comm: &Comm) {
    for lowest in 0..comm.size() {
        let failed = comm.rank() == lowest || comm.rank() > lowest + 1;
        let message = format!("no file {} – für {}", "x".repeat(100 * comm.rank()), comm.rank());
        let error = comm.agree(if failed { Err(message) } else { Ok(()) }).unwrap_err();
        let expected = format!("no file {} – für {lowest}", "x".repeat(100 * lowest));
        assert_eq!(error, Error::OnRank { rank: lowest, message: expected });
    }
    let error = comm.agree::<(), _>(Err("")).unwrap_err(); // no words are an error too
    assert_eq!(error.to_string(), "rank 0: ");
}

/// The same facts everywhere: each rank's number reaches all.
pub(super) fn agree_on_facts(comm: &Comm) {
    let facts = [("shape", "[3, 4]".to_string()), ("type", "f64".to_string())];
    let numbers = comm.agree_on("test", &facts, 10 + comm.rank() as u64).unwrap();
    assert_eq!(numbers, Vec::from_iter((0..comm.size() as u64).map(|r| 10 + r)));
    assert_eq!(comm.agree_on("test", &[], 1).unwrap(), vec![1; comm.size()]);
}

/// Another fact on some rank: everyone gets the same error, which names fact and ranks.
pub(super) fn agree_on_a_difference(comm: &Comm) {
    for other in 1..comm.size() {
        let shape = if comm.rank() >= other { "[3]" } else { "[4]" };
        let facts = [("type", "f64".to_string()), ("shape", shape.to_string())];
        let error = comm.agree_on("test", &facts, 0).unwrap_err();
        let ranks = crate::Ranks::new((other..comm.size()).collect());
        let expected = Error::Disagree {
            operation: "test",
            what: "shape",
            expected: "[4]".to_string(),
            found: "[3]".to_string(),
            ranks,
        };
        assert_eq!(error, expected);
    }
}
