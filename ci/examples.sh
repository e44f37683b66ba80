#!/usr/bin/env bash
# Runs every example. What quickstart and climate print must not depend on the number of ranks, to the byte; what the README
# shows must be what its program prints.
set -euo pipefail
cd "$(dirname "$0")/.."
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

run() { # example, ranks
    MANIPLE_RANKS=$2 cargo run --locked --release --quiet --example "$1" >"$out/$1.$2" 2>"$out/stderr" || {
        cat "$out/stderr" >&2
        echo "example $1 fails on $2 ranks" >&2
        exit 1
    }
}

cargo build --locked --release --examples
for source in examples/*.rs; do
    name=$(basename "$source" .rs)
    [ "$name" != pure_mpi ] || continue # ci/mpi.sh runs it
    for ranks in 1 2 3 4 16; do run "$name" "$ranks"; done
done
for name in quickstart climate; do
    for ranks in 2 3 4 16; do cmp "$out/$name.1" "$out/$name.$ranks"; done
    echo "$name: $(wc -l <"$out/$name.1") lines, the same on 1, 2, 3, 4 and 16 ranks"
done
while IFS= read -r line; do
    grep -qxF -- "$line" README.md || { echo "the README does not show: $line" >&2; exit 1; }
done <"$out/four_ranks.4"
echo "four_ranks: prints what the README shows"
