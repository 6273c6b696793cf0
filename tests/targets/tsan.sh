#!/usr/bin/env bash
# all tests under ThreadSanitizer (clang 19)
. "$root/tools/common.sh"
need_packages "./test tsan" build test sanitizer || exit 1
# ThreadSanitizer fails on kernels that randomise the address space by more bits than it foresees; gtest
# programs are run while building, to list their cases, so the build runs without randomising too.
if [ -z "${BERTH_NO_ASLR:-}" ] && setarch -R true 2>/dev/null; then
  BERTH_NO_ASLR=1 exec setarch -R bash "$0" "$@"
fi
build tsan || exit 1
run_ctest tsan -E '^(lint|tools)\.' "$@"
