#!/usr/bin/env bash
# The models of the thread transport: every interleaving and reordering of its protocol, up to the bounds each one states.
set -euo pipefail
cd "$(dirname "$0")/.."

# Without `--cfg loom` the models compile to nothing and "pass", so count them. Adding some is fine; losing some is not.
MODELS=35

# A directory of its own: the flag would rebuild everything else.
export CARGO_TARGET_DIR=target/loom RUSTFLAGS="--cfg loom"
output=$(mktemp)
trap 'rm -f "$output"' EXIT

cargo test --locked -p maniple-threads --lib --profile loom -- rendezvous::models | tee "$output"
passed=$(sed -n 's/^test result: ok\. \([0-9]*\) passed.*/\1/p' "$output")
if [ "${passed:-0}" -lt "$MODELS" ]; then
    echo "${passed:-no} models ran, expected at least $MODELS" >&2
    exit 1
fi
