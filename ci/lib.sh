# Shared by the scripts of this folder. Source it from the repository's root.

skipped=()
steps_began=$SECONDS

step() {
    printf '\n=== %s (at %d s)\n' "$1" $((SECONDS - steps_began))
}

# The exit status with which a script says that it can't run here.
CANT_RUN=77

note_skipped() { # status, what and why
    [ "$1" -eq "$CANT_RUN" ] || exit "$1"
    skipped+=("$2")
}

report() {
    printf '\nAll steps passed in %d s.\n' $((SECONDS - steps_began))
    [ ${#skipped[@]} -eq 0 ] || printf 'SKIPPED %s\n' "${skipped[@]}"
}

die() {
    printf '%s\n' "$@" >&2
    exit 1
}

# Rust links with the system's C compiler.
need_c_toolchain() {
    ! command -v cc >/dev/null || return 0
    install_packages gcc libc6-dev
}

need_rust() {
    command -v cargo >/dev/null ||
        die "Rust is missing: install it with rustup (1.89 or later, with rustfmt and clippy), then run this again."
    local part
    for part in fmt clippy; do
        cargo "$part" --version >/dev/null 2>&1 ||
            die "cargo $part is missing: 'rustup component add rustfmt clippy', then run this again."
    done
}

# Debian packages: installed as root, named otherwise.
install_packages() {
    if [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null; then
        apt-get update -qq
        DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null
    else
        die "These Debian packages are missing: $*" "Install them (or what your system calls them), then run this again."
    fi
}

# nextest ends a test that hangs; without it, the tests' own watchdogs do.
run_tests() {
    if cargo nextest --version >/dev/null 2>&1; then
        cargo nextest run --locked --no-fail-fast
    else
        cargo test --locked --no-fail-fast --lib --bins --tests
    fi
}
