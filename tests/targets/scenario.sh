#!/usr/bin/env bash
# only the scenarios: a real gateway between scripted clients and engines
. "$root/tools/common.sh"
need_packages "./test scenario" build test && build dev || exit 1
run_ctest dev -R '^scenario\.'
