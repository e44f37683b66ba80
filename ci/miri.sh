#!/usr/bin/env bash
# The unsafe code outside of SIMD under Miri, where a nightly toolchain has it. Downloads nothing; exit status 77: not here.
set -euo pipefail
cd "$(dirname "$0")/.."
. ci/lib.sh

cargo +nightly miri --version >/dev/null 2>&1 || exit "$CANT_RUN"
export CARGO_TARGET_DIR=target/miri
MIRIFLAGS="-Zmiri-disable-isolation" cargo +nightly miri test -p maniple-core --lib
MIRIFLAGS="-Zmiri-disable-isolation -Zmiri-strict-provenance" cargo +nightly miri test -p maniple-threads --lib
