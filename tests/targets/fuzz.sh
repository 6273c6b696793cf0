#!/usr/bin/env bash
# every fuzz program for some seconds each, with its corpus: ./test fuzz [SECONDS]
. "$root/tools/common.sh"
limit=${1:-30}
case "$limit" in '' | *[!0-9]*) complain "Usage: ./test fuzz [SECONDS]"; exit 2 ;; esac
[ -f "$root/fuzz/CMakeLists.txt" ] || { complain "There are no fuzz programs yet (fuzz/CMakeLists.txt)"; exit 1; }
need_packages "./test fuzz" build test sanitizer && build fuzz || exit 1
passed=0 failed=0
for program in "$root"/build/fuzz/fuzz/fuzz_*; do
  [ -f "$program" ] && [ -x "$program" ] || continue
  name=$(basename "$program")
  work=$root/build/fuzz/corpus/$name
  mkdir -p "$work"
  corpus=("$work")
  [ ! -d "$root/fuzz/corpus/$name" ] || corpus+=("$root/fuzz/corpus/$name")
  if quietly "Fuzzing $name for $limit s" "$program" -max_total_time="$limit" -timeout=10 -rss_limit_mb=2048 \
    -artifact_prefix="$work/" -print_final_stats=1 "${corpus[@]}"; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
  fi
done
say "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
