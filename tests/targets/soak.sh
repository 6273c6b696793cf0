#!/usr/bin/env bash
# a million random steps of the replica model under AddressSanitizer: ./test soak [STEPS]
. "$root/tools/common.sh"
steps=${1:-1000000}
case "$steps" in '' | *[!0-9]*) complain "Usage: ./test soak [STEPS]"; exit 2 ;; esac
need_packages "./test soak" build test && build asan engine_test || exit 1
if BERTH_ENGINE_STEPS=$steps quietly "Running $steps steps" "$root/build/asan/src/engine/engine_test" \
  --gtest_filter='*Properties*'; then
  say "1 passed, 0 failed"
else
  say "0 passed, 1 failed"
  exit 1
fi
