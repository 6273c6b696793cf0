#!/usr/bin/env bash
# clang-tidy 19 with the coroutine rules as errors: ./test tidy [FILE-PATTERN]
. "$root/tools/common.sh"
need_packages "./test tidy" build test tidy && cd "$root" &&
  quietly "Configuring the release build" cmake --preset release || exit 1
started=$SECONDS
log=$logs/tidy.log
say "Running clang-tidy on ${1:-src} ..."
run-clang-tidy-19 -quiet -p build/release -j "$jobs" "${1:-$root/src/.*(?<!_test)\.cc$}" >"$log" 2>&1
status=$?
grep -E '(warning|error):' "$log" | sort -u
say "clang-tidy took $(seconds $((SECONDS - started))); its whole output: ${log#"$root"/}"
if [ "$status" -eq 0 ]; then say "1 passed, 0 failed"; else say "0 passed, 1 failed"; fi
exit "$status"
