#!/usr/bin/env bash
# the simulator against real HTTP traffic through serve and engine, 5 minutes: ./test sim-http [OPTION...]
. "$root/tools/common.sh"
need_packages "./test sim-http" build test && build release berth sim_http_clients || exit 1
exec python3 "$root/tests/sim_http/run.py" "$@"
