//! Starts this program again, on ranks.
#![allow(dead_code)] // each test program uses a part of it

use std::io::Read;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use std::os::unix::process::CommandExt;

/// What a job has said, on either stream, and how it ended.
pub(crate) struct Job {
    pub(crate) output: String,
    pub(crate) status: ExitStatus,
    pub(crate) took: Duration,
}

/// Runs this program under `launcher` (words, as `mpirun --oversubscribe`) on so many ranks.
///
/// # Panics
/// If it has not ended after `limit`; all its processes have then.
pub(crate) fn job(launcher: &str, ranks: usize, env: &[(&str, &str)], limit: Duration) -> Job {
    let mut words = launcher.split_whitespace();
    let mut command = Command::new(words.next().expect("MANIPLE_MPIEXEC names a program"));
    command.args(words).args(["-n", &ranks.to_string()]);
    command.arg(std::env::current_exe().expect("this program has a path"));
    command.envs(env.iter().copied());
    command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"); // it starts only this program
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
    let begin = Instant::now();
    let mut child = command.spawn().unwrap_or_else(|e| panic!("can't start `{launcher}`: {e}"));
    let (out, err) = (read(child.stdout.take()), read(child.stderr.take()));
    let status = end_of(&mut child, begin + limit);
    let took = begin.elapsed();
    let text = |reader: thread::JoinHandle<String>| reader.join().expect("a reader does not panic");
    let output = text(out) + &text(err);
    let status = status.unwrap_or_else(|| panic!("still running after {limit:?}; it said:\n{output}"));
    Job { output, status, took }
}

/// The launcher of the MPI that this program is built with, or the one that `MANIPLE_MPIEXEC` names.
pub(crate) fn launcher() -> String {
    std::env::var("MANIPLE_MPIEXEC").unwrap_or_else(|_| {
        let names = if is_open_mpi() { OPEN_MPI } else { MPICH };
        found(names)
            .unwrap_or_else(|| panic!("none of {names:?} is installed; MANIPLE_MPIEXEC names a launcher"))
    })
}

/// The launcher of another MPI than this program is built with, if there is one.
pub(crate) fn foreign_launcher() -> Option<String> {
    found(if is_open_mpi() { MPICH } else { OPEN_MPI })
}

const OPEN_MPI: &[&str] = &["mpirun.openmpi --oversubscribe", "mpirun --oversubscribe"];
const MPICH: &[&str] = &["mpiexec.mpich", "mpiexec.hydra"];

fn is_open_mpi() -> bool {
    maniple_mpi::library_version().contains("Open MPI")
}

fn found(launchers: &[&str]) -> Option<String> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let exists = |name: &str| std::env::split_paths(&path).any(|folder| folder.join(name).is_file());
    launchers.iter().find(|l| l.split(' ').next().is_some_and(exists)).map(|l| (*l).to_string())
}

fn read(stream: Option<impl Read + Send + 'static>) -> thread::JoinHandle<String> {
    let mut stream = stream.expect("a piped stream");
    thread::spawn(move || {
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).expect("the output can be read");
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

/// Ends the launcher after the time limit, kindly at first, so that it ends its ranks.
fn end_of(child: &mut Child, limit: Instant) -> Option<ExitStatus> {
    let mut ended_by = |limit: Instant| {
        while Instant::now() < limit {
            if let Some(status) = child.try_wait().expect("a child can be waited for") {
                return Some(status);
            }
            thread::sleep(Duration::from_millis(5));
        }
        None
    };
    let status = ended_by(limit);
    if status.is_none() {
        let group = format!("-{}", child.id());
        for signal in ["-TERM", "-KILL"] {
            Command::new("kill").args([signal, "--", &group]).status().expect("kill is installed");
            thread::sleep(Duration::from_secs(2));
        }
        child.wait().expect("a killed child ends");
    }
    status
}
