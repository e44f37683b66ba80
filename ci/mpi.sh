#!/usr/bin/env bash
# All that runs under MPI, on 1 to 5 ranks, with Open MPI and with MPICH: the transport's own tests, the conformance suite, every
# whole-library test, and the quickstart, which must print what it prints on threads.
#
#   bash ci/mpi.sh [openmpi|mpich ..]
#
# As root on Debian or Ubuntu it installs both MPIs and libclang. Exit status 77: they can't be had here.
set -euo pipefail
cd "$(dirname "$0")/.."
. ci/lib.sh

RANKS="1 2 3 4 5"
LIMIT=400 # seconds until a program is taken to hang; a test's own watchdog is quicker

# mpi-sys does not notice another MPI. A setting of its own for MPICH makes cargo keep both, and what depends on them, beside each
# other; all else is built once.
use_mpi() { # openmpi or mpich
    mpi=$1
    flags=(--locked)
    export MPICC=mpicc.$mpi
    case $mpi in
        openmpi) launcher="mpirun.openmpi --oversubscribe" ;;
        mpich)
            flags+=(--config "profile.dev.package.mpi-sys.opt-level=0")
            cc -O2 -shared -fPIC -o target/libyield.so ci/yield.c
            launcher="mpiexec.mpich -genv LD_PRELOAD $PWD/target/libyield.so"
            ;;
        *) die "which MPI is $mpi? openmpi or mpich" ;;
    esac
    export MANIPLE_MPIEXEC=$launcher # for tests that start jobs themselves
}
# Started by root, in a container, with more ranks than cores.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_btl_vader_single_copy_mechanism=none

# Cargo, whose programs run as jobs.
on() { # ranks, command of cargo, its arguments
    local runner="timeout -k 5 $LIMIT $launcher -n $1"
    EXPECT_RANKS=$1 cargo "$2" --config "target.'cfg(all())'.runner = '$runner'" "${@:3}"
}

missing() {
    local tool
    for tool in mpicc.openmpi mpirun.openmpi mpicc.mpich mpiexec.mpich; do
        command -v "$tool" >/dev/null || echo "$tool"
    done
    has_libclang || echo libclang
}

# With the headers of its compiler, which bindgen reads too.
has_libclang() {
    [ -n "${LIBCLANG_PATH:-}" ] || command -v clang >/dev/null || {
        compgen -G "/usr/lib/llvm-*/lib/libclang*.so*" && compgen -G "/usr/lib/llvm-*/lib/clang/*/include/stddef.h"
    } >/dev/null
}

need_mpi() {
    [ -n "$(missing)" ] || return 0
    if [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null && apt-get update -qq; then
        local clang # the version that this release prefers
        clang=$(apt-cache depends libclang-dev | sed -n 's/.*Depends: libclang-\([0-9]*\)-dev$/\1/p')
        DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
            libopenmpi-dev openmpi-bin mpich libmpich-dev "libclang1-$clang" "libclang-common-$clang-dev" >/dev/null || true
    fi
    [ -n "$(missing)" ] || return 0
    echo "MPI can't be had here. Missing: $(missing | tr '\n' ' ')" >&2
    echo "On Debian: apt-get install libopenmpi-dev openmpi-bin mpich libmpich-dev libclang-dev" >&2
    exit "$CANT_RUN"
}

tests=(--features mpi --test argsort --test groupby --test redistribute --test sort --test unique)

run_all() {
    step "$mpi: build"
    cargo test "${flags[@]}" --no-run -p maniple-mpi
    cargo test "${flags[@]}" --no-run "${tests[@]}"
    cargo build "${flags[@]}" --features mpi --example quickstart --example pure_mpi

    step "$mpi: the transport's own tests"
    MANIPLE_HUGE=1 timeout -k 5 "$LIMIT" cargo test "${flags[@]}" --quiet -p maniple-mpi
    local ranks
    for ranks in $RANKS; do
        step "$mpi: conformance on $ranks ranks"
        on "$ranks" test "${flags[@]}" --quiet -p maniple-mpi --test conformance
        MANIPLE_CHECKED=1 on "$ranks" test "${flags[@]}" --quiet -p maniple-mpi --test conformance
        step "$mpi: whole-library tests on $ranks ranks"
        on "$ranks" test "${flags[@]}" --quiet "${tests[@]}"
    done
    step "$mpi: examples"
    compare_quickstart
    on 3 run "${flags[@]}" --quiet --features mpi --example pure_mpi
}

# The same binary on threads and as a job.
compare_quickstart() {
    local run=(run "${flags[@]}" --quiet --features mpi --example quickstart)
    MANIPLE_RANKS=4 cargo "${run[@]}" >"$out/threads" 2>"$out/stderr" || { cat "$out/stderr"; exit 1; }
    on 4 "${run[@]}" >"$out/$mpi" 2>"$out/stderr" || { cat "$out/stderr"; exit 1; }
    grep -q "^4 ranks took" "$out/stderr" || die "the quickstart did not run on 4 ranks"
    cmp "$out/threads" "$out/$mpi"
    echo "quickstart: $(wc -l <"$out/$mpi") lines, the same on 4 threads and 4 ranks of $mpi"
}

need_c_toolchain
need_mpi
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

[ $# -gt 0 ] || set -- openmpi mpich
for name; do
    use_mpi "$name"
    run_all
done

step "lints of what needs MPI"
cargo clippy --locked --all-targets --features mpi -- -D warnings
cargo clippy --locked --all-targets -p maniple-mpi -- -D warnings
report
