#!/usr/bin/env bash
# Runs every example. What the main job prints must not depend on the number of ranks, to the byte.
set -euo pipefail
cd "$(dirname "$0")/.."
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

cargo build --locked --release --examples
for source in examples/*.rs; do
    name=$(basename "$source" .rs)
    for ranks in 1 2 3 16; do
        MANIPLE_RANKS=$ranks cargo run --locked --release --quiet --example "$name" >"$out/$name.$ranks" 2>"$out/stderr" || {
            cat "$out/stderr" >&2
            echo "example $name fails on $ranks ranks" >&2
            exit 1
        }
        cmp "$out/$name.1" "$out/$name.$ranks"
    done
    echo "$name: $(wc -l <"$out/$name.1") lines, the same on 1, 2, 3 and 16 ranks"
done
