# shellcheck shell=bash
# What the scripts beside this file share: where the repository is, how a step announces itself, how a
# failure names its remedy, and which Rust toolchain builds for the browser. Sourced, never run.
set -euo pipefail
export LC_ALL=C.UTF-8
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"

wasm_target=wasm32-unknown-unknown
# The features of all of the page's modules.
wasm_features_of_page=page,whatif,closeup,links,lessons,theory,measured,exchange
# What the built page in www/dist was made from, and whether it is `quick` or `release`: written by scripts/build-www.
# shellcheck disable=SC2034 # scripts that source this file use it
page_stamp=$root/www/node_modules/.tokenyard-page
target_dir=${CARGO_TARGET_DIR:-$root/target}
# The root package with its members; without the packages for JavaScript and Python, which their own scripts build.
# shellcheck disable=SC2034 # scripts that source this file use it
simulator=(--workspace --exclude tokenyard-npm --exclude tokenyard-python)

# The second at which the command that was typed began; scripts that it calls count from there.
export TOKENYARD_STARTED=${TOKENYARD_STARTED:-$(date +%s)}

# elapsed: minutes and seconds since then.
elapsed() {
  local seconds=$(($(date +%s) - TOKENYARD_STARTED))
  printf '%d:%02d' $((seconds / 60)) $((seconds % 60))
}

# say TEXT: the heading of a step, with the time since the start.
say() { printf '\n== %s %s\n' "$(elapsed)" "$*"; }

# note TEXT: a line under the heading.
note() { printf '   %s\n' "$*"; }

# die WHAT REMEDY...: what went wrong, then one line for each thing to do about it.
die() {
  {
    printf '\n!! %s\n' "$1"
    shift
    local line
    for line in "$@"; do printf '   remedy: %s\n' "$line"; done
  } >&2
  exit 1
}

# step NAME REMEDY COMMAND...: announces the command and runs it; a failure ends the script with the remedy.
step() {
  local name=$1 remedy=$2
  shift 2
  if [ "$(type -t "$1")" = function ]; then say "$name"; else say "$name: $*"; fi
  local code=0
  "$@" || code=$?
  [ "$code" = 0 ] || die "$name failed (exit code $code)." "$remedy"
}

# progress: passes on the lines of cargo, with the time since the start; crates of others one every five seconds.
progress() {
  local line last=0 now count=0
  while IFS= read -r line; do
    case $line in
      *Compiling*)
        count=$((count + 1)) now=$(date +%s)
        [[ $line == *Compiling\ tokenyard* ]] || [ $((now - last)) -ge 5 ] || continue
        last=$now
        note "$(elapsed) compiling ${line#*Compiling } (crate $count)"
        ;;
      *Finished*) ;;
      *) printf '%s\n' "$line" ;;
    esac
  done
}

has() { command -v "$1" >/dev/null 2>&1; }

# find_chromium: sets and exports CHROMIUM to the browser's command, unless it is set; fails where there is none.
find_chromium() {
  CHROMIUM=${CHROMIUM:-$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)}
  export CHROMIUM
  [ -n "$CHROMIUM" ]
}

# build_programs: the command line and the tools of this repository, for tests, into `programs`. Named with an example and with all
# members, they are made of the crates that the tests are made of: cargo chooses their features alike, and compiles none twice.
programs=$target_dir/debug
build_programs() {
  step "Build the command line and the tools" "fix what the compiler names" \
    cargo build --quiet --locked "${simulator[@]}" --bins --example rewind
}

# need_page: the page's package and its dependencies are there.
need_page() {
  [ -f www/package.json ] || die "There is no page here: www/package.json is missing." "check the clone with: git status"
  [ -d www/node_modules ] || die "The page's dependencies are not installed." "scripts/setup"
}

# need_released_page: the page in www/dist is built as it is published, for figures that hold for it.
need_released_page() {
  need_page
  [ -s www/dist/index.html ] && [[ $(cat "$page_stamp" 2>/dev/null) == release* ]] ||
    die "The page is not built as it is published." "scripts/build-www --release"
}

# locked_version CRATE: the version of a crate in Cargo.lock.
locked_version() {
  awk -v name="\"$1\"" '$1 == "name" { hit = ($3 == name) } hit && $1 == "version" { gsub(/"/, "", $3); print $3; exit }' Cargo.lock
}

# workspace_version: the version of everything that is published, which stands in Cargo.toml.
workspace_version() {
  awk '/^\[/ { hit = ($0 == "[workspace.package]") } hit && $1 == "version" { gsub(/"/, "", $3); print $3; exit }' Cargo.toml
}

# wasm_compiles: the current cargo can compile against the standard library for wasm32. Looking for its
# files is not enough: files of another compiler version are there but useless.
wasm_compiles() {
  local out code=0
  out=$(mktemp -d)
  echo 'pub fn probe() -> String { String::from("here") }' |
    rustc --target "$wasm_target" --edition 2024 --crate-type lib --emit metadata --out-dir "$out" - >/dev/null 2>&1 || code=$?
  rm -rf "$out"
  return "$code"
}

# lld_of_sysroot: the path of the linker that a toolchain of rustup brings along; empty if it brings none.
lld_of_sysroot() {
  local sysroot host lld
  sysroot=$(rustc --print sysroot) || return 0
  host=$(rustc -vV | sed -n 's/^host: //p')
  lld=$sysroot/lib/rustlib/$host/bin/rust-lld
  if [ -x "$lld" ]; then echo "$lld"; fi
}

# use_wasm_toolchain: from here on cargo and rustc build for wasm32. The machine's default toolchain
# if it has the target, else the one that scripts/setup linked under the name `wasm`.
use_wasm_toolchain() {
  local lld
  lld=$(lld_of_sysroot)
  if ! wasm_compiles; then
    export RUSTUP_TOOLCHAIN=wasm
    has rustup && wasm_compiles ||
      die "No Rust toolchain here builds for $wasm_target." "scripts/setup" "or: rustup target add $wasm_target"
  fi
  if [ -z "$(lld_of_sysroot)" ]; then
    [ -n "$lld" ] || lld=$(command -v wasm-ld-19 || command -v wasm-ld || true)
    [ -n "$lld" ] || die "No linker for $wasm_target." "apt-get install lld-19"
    export CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER=$lld
  fi
}
