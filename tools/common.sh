# What ./run, ./test and .ci/run share: plain words on the terminal, Debian packages, quiet builds.
# Sourced, never run. The caller sets `root` to the repository's folder first.

logs=$root/build/logs
# Python keeps its compiled modules beside the sources otherwise.
export PYTHONDONTWRITEBYTECODE=1
jobs=${BERTH_JOBS:-$(nproc)}
begun=$SECONDS

say() { printf '%s\n' "$*"; }
complain() { printf '%s\n' "$*" >&2; }

# seconds N: "8 s" or "3 min 20 s".
seconds() {
  if [ "$1" -lt 60 ]; then printf '%d s' "$1"; else printf '%d min %d s' $(($1 / 60)) $(($1 % 60)); fi
}

# follow LABEL LOG: shows how far ninja is, by the last "[n/m]" in the log: in place on a terminal, else in a line a
# minute. Ends with the script that started it.
follow() {
  local label=$1 log=$2 passed=0 count
  while sleep 1 >/dev/null 2>&1; kill -0 "$$" 2>/dev/null; do
    passed=$((passed + 1))
    [ -t 1 ] || [ $((passed % 60)) -eq 0 ] || continue
    count=$(tail -c 4096 "$log" | grep -aoE '^\[[0-9]+/[0-9]+\]' | tail -n 1)
    [ -n "$count" ] || continue
    if [ -t 1 ]; then
      printf '\r%s ... %s ' "$label" "$count"
    else
      printf '\n%s ... %s after %s ... ' "$label" "$count" "$(seconds "$passed")"
    fi
  done
}

# quietly LABEL COMMAND...: one line while it works; its output only when it fails. Returns its status.
quietly() {
  local label=$1 started=$SECONDS status=0 log follower
  shift
  mkdir -p "$logs"
  log=$logs/$(printf '%s' "$label" | tr -cs 'A-Za-z0-9' '-').log
  printf '%s ... ' "$label"
  : >"$log"
  follow "$label" "$log" &
  follower=$!
  "$@" >"$log" 2>&1 </dev/null || status=$?
  kill "$follower" 2>/dev/null
  wait "$follower" 2>/dev/null
  [ ! -t 1 ] || printf '\r\033[K%s ... ' "$label"
  if [ "$status" -eq 0 ]; then
    say "done in $(seconds $((SECONDS - started)))"
  else
    say "failed after $(seconds $((SECONDS - started))). The end of ${log#"$root"/}:"
    tail -n 80 "$log"
  fi
  return "$status"
}

# packages_of GROUP...: the Debian packages of these groups (tools/packages.txt).
packages_of() {
  local group
  for group in "$@"; do
    awk -v group="$group" '$1 == group { print $2 }' "$root/tools/packages.txt"
  done
}

# missing_packages GROUP...: those of them that are not installed.
missing_packages() {
  local package
  for package in $(packages_of "$@"); do
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || printf '%s ' "$package"
  done
}

# need_packages WHY GROUP...: installs what is missing and nothing else; silent when nothing is.
need_packages() {
  local why=$1 missing as_root=()
  shift
  if ! command -v apt-get >/dev/null; then
    say "No apt-get here: taking for granted that these are installed: $(packages_of "$@" | tr '\n' ' ')"
    return 0
  fi
  missing=$(missing_packages "$@")
  [ -n "$missing" ] || return 0
  if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
      complain "These Debian packages are missing, and installing needs root: apt-get install $missing"
      return 1
    fi
    as_root=(sudo)
  fi
  say "Installing Debian packages that $why needs: $missing"
  # A stale package list names versions that are gone; a failed refresh may still leave a usable one.
  quietly "Refreshing the package list" "${as_root[@]}" apt-get -q update || true
  # shellcheck disable=SC2086  # one word a package
  quietly "Installing" "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get -q install -y --no-install-recommends $missing || return
  missing=$(missing_packages "$@")
  [ -z "$missing" ] || { complain "These packages did not get installed: $missing"; return 1; }
}

# build PRESET [TARGET...]: configures when needed and builds.
build() {
  local preset=$1 targets=()
  shift
  [ $# -eq 0 ] || targets=(--target "$@")
  cd "$root" || return
  quietly "Configuring the $preset build" cmake --preset "$preset" &&
    quietly "Building $preset with $jobs jobs" cmake --build --preset "$preset" -j "$jobs" "${targets[@]}"
}

# run_ctest PRESET [CTEST ARGUMENT...]: runs the tests, prints what failed and ctest's closing lines, then
# "N passed, N failed" as the last line. The output of passing tests stays in the log.
run_ctest() {
  local preset=$1 status=0 log started=$SECONDS
  shift
  mkdir -p "$logs"
  log=$logs/ctest-$preset.log
  say "Running the tests ..."
  (cd "$root" && ctest --test-dir "build/$preset" --output-on-failure --no-tests=error -j "$jobs" "$@") \
    >"$log" 2>&1 </dev/null || status=1
  grep -vE '^ *([0-9]+/[0-9]+ Test +#[0-9]+: .* Passed +[0-9.]+ sec|Start +[0-9]+: .*)$|^(Internal ctest|Test project)' "$log" |
    cat -s
  say "The tests took $(seconds $((SECONDS - started))), everything $(seconds $((SECONDS - begun))); all output: ${log#"$root"/}"
  counts "$log" || status=1
  return "$status"
}

# counts LOG: "N passed, N failed[, N skipped]" from ctest's closing line. Fails when there is none.
counts() {
  awk '
    /tests passed, [0-9]+ tests? failed out of [0-9]+/ { failed = $4; total = $NF; seen = 1 }
    /\*\*\*(Skipped|Not Run)/ { skipped++ }
    END {
      if (!seen) { print "0 passed, 1 failed"; exit 1 }
      printf "%d passed, %d failed", total - failed - skipped, failed
      if (skipped) printf ", %d skipped", skipped
      print ""
    }' "$1"
}
