#!/usr/bin/env bash
# only the checks of the source (format, layers, headers, sizes, words, coroutine rules) and their own tests
. "$root/tools/common.sh"
need_packages "./test lint" build test && cd "$root" &&
  quietly "Configuring the dev build" cmake --preset dev || exit 1
run_ctest dev -R '^(lint|tools)\.'
