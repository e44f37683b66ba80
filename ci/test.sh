#!/usr/bin/env bash
# Installs what the tests need and passes all of them: format, lints, tests, documentation, examples, models.
#
#   bash ci/test.sh
#
# As root on Debian or Ubuntu it installs missing system packages; elsewhere it says what is missing.
# What can't run on this machine is listed as SKIPPED in the last lines.
set -euo pipefail
cd "$(dirname "$0")/.."
. ci/lib.sh

need_c_toolchain
need_rust

step "format";        cargo fmt --all --check
step "lints";         cargo clippy --locked --all-targets -- -D warnings
step "tests";         run_tests
step "doc tests";     cargo test --locked --doc
step "documentation"; RUSTDOCFLAGS="-D warnings" cargo doc --locked --no-deps
step "examples";      bash ci/examples.sh
step "loom models";   bash ci/loom.sh
step "MPI";           bash ci/mpi.sh || note_skipped $? "MPI: neither here nor to be installed"
step "miri";          bash ci/miri.sh || note_skipped $? "miri: no nightly toolchain with miri here"

report
