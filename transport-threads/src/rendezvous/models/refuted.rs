//! What loom must find: the scenarios that hold, with one step of the protocol left out.

use super::Walk::{All, Preemptions};
use super::sound::*;
use super::*;

/// One model a line: name, what is left out, scenario, ranks, how much of the state space, what loom says.
macro_rules! refuted {
    ($($name:ident: $fault:ident, $scenario:ident, $size:literal, $walk:expr, $why:literal;)*) => {
        $(#[test] #[should_panic(expected = $why)] fn $name() {
            explore($size, $walk, Some(Fault::$fault), $scenario);
        })*
    };
}

refuted! {
    no_entry_wait: NoEntryWait, visit_once, 2, All, "only after it published";
    no_exit_wait: NoExitWait, visit_once, 2, All, "Causality violation";
    retire_before_exit: RetireBeforeExit, visit_once, 2, All, "only after it published";
    poison_releases_exit: PoisonReleasesExit, poison_any_time, 2, Preemptions(3), "Causality violation";
    abort_sealed: AbortSealed, poison_any_time, 2, Preemptions(3), "Causality violation";
    arrive_poisoned: ArrivePoisoned, poisoner_arrives, 2, All, "[Ok(()), Ok(())]";
    look_without_lock: LookWithoutLock, visit_once, 2, All, "deadlock";
    relaxed_arrive: RelaxedArrive, copy_fails, 2, All, "Causality violation";
    relaxed_release: RelaxedRelease, refused, 2, All, "unwrap_err";
    relaxed_leave: RelaxedLeave, visit_once, 2, All, "Causality violation";
    relaxed_wait: RelaxedWait, visit_once, 2, All, "Causality violation";
}
