#!/usr/bin/env bash
# the table of hostile requests (tests/framing/cases.txt) against the parser and the live port
. "$root/tools/common.sh"
need_packages "./test framing" build test && build dev || exit 1
run_ctest dev -R 'Framing|Hostile|fuzz_request_framing'
