//! The rules of ARCHITECTURE.md that a machine can check.

use std::collections::BTreeSet;
use std::path::Path;

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

/// The packages of this workspace that the manifest of `package` names as dependencies, dev-dependencies included.
fn uses(package: &str) -> BTreeSet<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let workspace = std::fs::read_to_string(root.join("Cargo.toml")).expect("the workspace");
    let table = workspace.lines().find(|line| line.starts_with(&format!("{package} = {{ path = ")));
    let folder = table.and_then(|line| line.split('"').nth(1)).unwrap_or(".");
    let manifest = std::fs::read_to_string(root.join(folder).join("Cargo.toml")).expect("a manifest");
    let package_part = manifest.split("\n[package]").nth(1).unwrap_or(&manifest);
    let names = package_part.lines().filter_map(|line| line.split(['.', ' ', '=']).next());
    names.filter(|name| name.starts_with("maniple-") && *name != package).map(String::from).collect()
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
