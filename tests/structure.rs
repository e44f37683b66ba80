//! The rules of ARCHITECTURE.md that a machine can check.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

/// What each package may depend on, of this workspace: only downward.
const MAY_USE: [(&str, &[&str]); 9] = [
    ("maniple-core", &[]),
    ("maniple-kernels", &[]),
    ("maniple-threads", &["maniple-core"]),
    ("maniple-mpi", &["maniple-core"]),
    ("maniple-lshape", &["maniple-core"]),
    ("maniple-sort", &["maniple-core", "maniple-kernels", "maniple-lshape"]),
    ("maniple-unique", &["maniple-core", "maniple-kernels", "maniple-lshape", "maniple-sort"]),
    ("maniple-groupby", &["maniple-core", "maniple-kernels", "maniple-lshape", "maniple-sort"]),
    (
        "maniple",
        &[
            "maniple-core",
            "maniple-kernels", // only its input patterns, only in tests and benches
            "maniple-threads",
            "maniple-mpi",
            "maniple-lshape",
            "maniple-sort",
            "maniple-unique",
            "maniple-groupby",
        ],
    ),
];

/// Packages whose crate root must forbid unsafe code.
const SAFE: [&str; 5] = [
    "src",
    "algorithms/lshape/src",
    "algorithms/pivot-sort/src",
    "algorithms/unique/src",
    "algorithms/cohort-groupby/src",
];

/// The packages of this workspace that `package` names, dev-dependencies included.
fn uses(package: &str) -> BTreeSet<String> {
    let output = Command::new(env!("CARGO"))
        .args([
            "tree",
            "--offline",
            "--depth",
            "1",
            "--prefix",
            "none",
            "--all-features",
            "--edges",
            "all",
            "-p",
            package,
        ])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let names = String::from_utf8_lossy(&output.stdout);
    let names = names.lines().filter_map(|line| line.split_whitespace().next());
    names.filter(|name| name.starts_with("maniple") && *name != package).map(String::from).collect()
}

#[test]
fn dependencies_only_point_downward() {
    for (package, allowed) in MAY_USE {
        let found = uses(package);
        let extra: Vec<_> = found.iter().filter(|name| !allowed.contains(&name.as_str())).collect();
        assert!(extra.is_empty(), "{package} depends on {extra:?}, which ARCHITECTURE.md does not allow");
    }
    assert!(uses("maniple").len() > 3, "the check sees dependencies at all");
}

#[test]
fn unsafe_code_stays_where_it_is_allowed() {
    for folder in SAFE {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder).join("lib.rs");
        let text = std::fs::read_to_string(&root).expect("a crate root");
        assert!(text.contains("#![forbid(unsafe_code)]"), "{}", root.display());
    }
}
