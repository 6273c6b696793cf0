#!/usr/bin/env python3
"""Checks that C++ files are as clang-format 19 would print them (.clang-format: Google style, 100 columns).

Example: check_format.py             (all C++ files)
         check_format.py --fix       (rewrites them)
"""
import argparse
import pathlib
import re
import subprocess
import sys

import sources

TOOL = "clang-format-19"


def problems(paths, top):
    """One line for every file that would change, at its first difference."""
    if not paths:
        return []
    command = [TOOL, "--dry-run", "--Werror", "--ferror-limit=1"] + [str(path) for path in paths]
    done = subprocess.run(command, capture_output=True, text=True, cwd=top, check=False)
    places = re.findall(r"^(.+?):(\d+):\d+: error: ", done.stderr, re.M)
    if done.returncode != 0 and not places:
        return [f"{TOOL} failed: {done.stderr.strip()}"]
    firsts = {}
    for name, line in places:
        firsts.setdefault(name, line)
    return [f"{pathlib.Path(name).relative_to(top)}:{line}: not formatted; tools/check_format.py --fix"
            for name, line in sorted(firsts.items())]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("top", nargs="?", type=pathlib.Path, default=sources.root())
    parser.add_argument("--fix", action="store_true", help="rewrite the files")
    args = parser.parse_args()
    paths = sources.files(args.top, sources.CPP)
    if args.fix:
        return subprocess.run([TOOL, "-i"] + [str(path) for path in paths], check=False).returncode
    return sources.report(problems(paths, args.top), "format")


if __name__ == "__main__":
    sys.exit(main())
