//! What goes wrong on ranks of a launcher ends the job: in seconds, with a code, and with one message.
//!
//! Started plainly, this program starts itself for each scenario under the launcher (`MANIPLE_MPIEXEC`, if not that of the library
//! it is built with). A rank of such a job knows its scenario from `MANIPLE_SCENARIO`.

mod scenarios;
#[path = "../support/mod.rs"]
mod support;

use std::process::ExitCode;
use std::time::Duration;

use libtest_mimic::{Arguments, Failed, Trial};
use maniple_core::CommError;

use scenarios::{Scenario, all};
use support::Job;

/// A job must have ended after this time.
const LIMIT: Duration = Duration::from_secs(15);
const SCENARIO: &str = "MANIPLE_SCENARIO";

fn main() -> ExitCode {
    if let Ok(name) = std::env::var(SCENARIO) {
        let scenario = all().into_iter().find(|s| s.name == name).expect("the same list");
        return match rank(&scenario) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                eprintln!("not run: {error}");
                ExitCode::FAILURE
            }
        };
    }
    let mut arguments = Arguments::from_args();
    arguments.test_threads = Some(1); // the ranks of one job fill the machine
    let launcher = support::launcher();
    let mut trials: Vec<Trial> = all()
        .into_iter()
        .map(|scenario| {
            let launcher = launcher.clone();
            Trial::test(scenario.name, move || scenario.check(&launched(&launcher, &scenario)))
        })
        .collect();
    trials.push(match support::foreign_launcher() {
        Some(foreign) => Trial::test("wrong_launcher", move || wrong_launcher(&foreign)),
        None => {
            Trial::test("wrong_launcher SKIPPED: there is only one MPI", || Ok(())).with_ignored_flag(true)
        }
    });
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn rank(scenario: &Scenario) -> Result<(), CommError> {
    maniple_mpi::run(scenario.program)?;
    match scenario.again {
        true => maniple_mpi::run(scenario.program),
        false => Ok(()),
    }
}

fn launched(launcher: &str, scenario: &Scenario) -> Job {
    let checked = if scenario.checked { "1" } else { "0" };
    let env = [(SCENARIO, scenario.name), ("MANIPLE_CHECKED", checked), ("RUST_BACKTRACE", "0")];
    support::job(launcher, scenario.ranks, &env, LIMIT)
}

/// Many programs of one rank each, which would all "succeed".
fn wrong_launcher(foreign: &str) -> Result<(), Failed> {
    let scenario = all().into_iter().find(|s| s.name == "succeeds").expect("a scenario of this name");
    let job = launched(foreign, &scenario);
    let library = maniple_mpi::library_version();
    let library = library.split([',', '\n']).next().unwrap_or_default();
    for words in ["the launcher started 3 ranks, but MPI knows 1", library.trim()] {
        if !job.output.contains(words) {
            return Err(format!("{words:?} is not in:\n{}", job.output).into());
        }
    }
    match job.status.code() {
        Some(1..) => Ok(()),
        _ => Err(format!("ended with {}:\n{}", job.status, job.output).into()),
    }
}

impl Scenario {
    fn check(&self, job: &Job) -> Result<(), Failed> {
        let wrong = |what: String| {
            Err(format!(
                "{what}; after {:?} it ended with {} and said:\n{}",
                job.took, job.status, job.output
            ))
        };
        let result = match (self.fails, job.status.code()) {
            (false, Some(0)) | (true, Some(1..=127)) => Ok(()), // above: ended by a signal
            _ => wrong("not the exit code".to_string()),
        };
        result?;
        for words in (self.says)() {
            let times = job.output.matches(&words).count();
            if times != 1 {
                wrong(format!("says {times} times, not once, {words:?}"))?;
            }
        }
        let messages = job.output.matches("maniple: rank ").count();
        if messages != usize::from(self.fails && !self.again) {
            wrong(format!("{messages} messages of ranks"))?;
        }
        Ok(())
    }
}
