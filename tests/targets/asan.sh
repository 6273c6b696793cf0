#!/usr/bin/env bash
# all tests under AddressSanitizer and UndefinedBehaviorSanitizer (gcc 12)
. "$root/tools/common.sh"
need_packages "./test asan" build test && build asan || exit 1
export ASAN_OPTIONS=${ASAN_OPTIONS:-detect_stack_use_after_return=1:strict_string_checks=1}
export UBSAN_OPTIONS=${UBSAN_OPTIONS:-print_stacktrace=1}
run_ctest asan -E '^(lint|tools)\.' "$@"
