#!/usr/bin/env bash
# checks of the source and all tests of the dev build (gcc 12); what ./test alone runs
. "$root/tools/common.sh"
need_packages "./test" build test && build dev || exit 1
run_ctest dev "$@"
