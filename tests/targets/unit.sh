#!/usr/bin/env bash
# only the tests whose name matches: ./test unit routing
. "$root/tools/common.sh"
[ $# -gt 0 ] || { complain "Usage: ./test unit PATTERN..., for example ./test unit routing http"; exit 2; }
need_packages "./test" build test && build dev || exit 1
pattern=$(IFS='|'; printf '%s' "$*")
run_ctest dev -R "$pattern"
