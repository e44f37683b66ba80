//! Ranks as the processes of a job: `mpirun -n 3 PROGRAM [FILTER]`.
//!
//! Every process runs the same tests in the same order on its main thread, the only one that may communicate. A rank that fails
//! ends the job, with the name of the test and the input it was given; nothing shrinks, since the peers are in the middle of it.
//! Rank 0 reports.

use std::cell::{Cell, RefCell};
use std::fmt::Debug;
use std::rc::Rc;
use std::time::Instant;

use libtest_mimic::Arguments;
use maniple::CommError;
use maniple::prelude::*;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use super::{Test, limited, trial};

/// Inputs of a property. Ranks share cores here, and some MPIs wait busily.
const CASES: u32 = 8;

/// The ranks that the launcher has started.
pub struct Job {
    rank: usize,
    /// The first rank, the first two, and so on to all, where this rank is among them.
    first: Vec<Option<Comm>>,
    /// What became of the bodies of the present test.
    ran: Cell<bool>,
    missing: Cell<usize>,
}

thread_local! {
    static JOB: RefCell<Option<Rc<Job>>> = const { RefCell::new(None) };
}

/// The job that this thread is a rank of.
pub fn job() -> Option<Rc<Job>> {
    JOB.with_borrow(Option::clone)
}

impl Job {
    fn new(world: &Comm) -> Result<Self, CommError> {
        let first = |ranks| world.split((world.rank() < ranks).then_some(0), 0);
        let first = (1..=world.size()).map(first).collect::<Result<_, _>>()?;
        Ok(Job { rank: world.rank(), first, ran: Cell::new(false), missing: Cell::new(0) })
    }

    pub fn ranks(&self) -> usize {
        self.first.len()
    }

    /// The first ranks run `body`, the others go on.
    pub fn on(&self, ranks: usize, body: impl Fn(&Comm)) {
        match self.first.get(ranks - 1) {
            None => self.missing.set(ranks),
            Some(comm) => {
                self.ran.set(true);
                comm.iter().for_each(body);
            }
        }
    }

    /// All ranks draw the same inputs, since they begin with the same seed.
    pub fn property<S>(&self, cases: u32, inputs: impl Fn(usize) -> S, body: impl Fn(&Comm, &S::Value))
    where
        S: Strategy,
        S::Value: Debug,
    {
        let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
        let mut runner = TestRunner::new_with_rng(Config::default(), rng);
        let strategy = inputs(self.ranks());
        for _ in 0..cases.min(CASES) {
            let input = strategy.new_tree(&mut runner).expect("an input").current();
            let _told = InPanic(|| eprintln!("rank {}: the input is {input:?}", self.rank));
            self.on(self.ranks(), |comm| body(comm, &input));
        }
    }

    /// Runs one test; says how it ended.
    fn run(&self, &(name, test): &Test) -> String {
        let _told = InPanic(|| eprintln!("rank {}: {name} FAILED", self.rank));
        self.ran.set(false);
        self.missing.set(0);
        limited(test);
        match (self.ran.get(), self.missing.get()) {
            (true, _) | (false, 0) => "ok".to_string(),
            (false, ranks) => format!("skipped: needs {ranks} ranks"),
        }
    }
}

pub fn main(arguments: &Arguments, tests: &[Test]) {
    let tests: Vec<_> = tests.iter().filter(|test| !arguments.is_filtered_out(&trial(test))).collect();
    let outcome = maniple::mpi::run(|world| {
        let expected = std::env::var("EXPECT_RANKS").ok();
        let ranks = world.size().to_string();
        assert_eq!(expected.as_ref().unwrap_or(&ranks), &ranks, "the ranks that were asked for");

        let job = Rc::new(Job::new(world)?);
        JOB.set(Some(Rc::clone(&job)));
        let say = |text: String| {
            if world.rank() == 0 {
                println!("{text}")
            }
        };
        let (began, mut skipped) = (Instant::now(), 0);
        say(format!("\nrunning {} tests on {ranks} ranks", tests.len()));
        for test in &tests {
            let outcome = job.run(test);
            skipped += usize::from(outcome != "ok");
            say(format!("test {} ... {outcome}", test.0));
        }
        let passed = tests.len() - skipped;
        let seconds = began.elapsed().as_secs_f64();
        say(format!("\ntest result: ok. {passed} passed; {skipped} skipped; finished in {seconds:.2}s"));
        JOB.set(None);
        Ok::<_, CommError>(())
    });
    outcome.unwrap_or_else(|error| panic!("{error}"));
}

/// Says something if what follows panics.
struct InPanic<F: Fn()>(F);

impl<F: Fn()> Drop for InPanic<F> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0();
        }
    }
}
