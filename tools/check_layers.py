#!/usr/bin/env python3
"""Checks that arrows between the folders of src/ point down: a file may include only headers of its own folder
and of the folders named for it below. One place says the order, and a picture of it is in ARCHITECTURE.md.

Example: check_layers.py            (the whole repository)
         check_layers.py some/dir   (a folder that has a src/ in it)
"""
import argparse
import pathlib
import re
import sys

import sources

GROUND = {"base"}
PURE = GROUND | {"routing", "engine"}
MIDDLE = PURE | {"config", "net", "http", "inspect"}
GATEWAY = MIDDLE | {"fleet", "observe"}
CONSOLE = GATEWAY | {"gateway"}
ALLOWED = {
    "base": set(),
    "config": GROUND,
    "routing": GROUND,
    "engine": GROUND,
    "net": GROUND,
    "http": GROUND | {"net"},
    "inspect": GROUND,
    "fleet": MIDDLE,
    "observe": MIDDLE,
    "engine_http": MIDDLE,
    "gateway": GATEWAY,
    "console": CONSOLE,
    "bench": MIDDLE,
    "sim": PURE | {"config"},
    "cli": CONSOLE | {"console", "engine_http", "bench", "sim", "cli"},
}
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+"([^"]+)"', re.M)


def problems(top):
    """One line for every include that points sideways or up, and for every folder nobody has placed."""
    src = pathlib.Path(top) / "src"
    found = []
    for path in sources.files(top, sources.CPP, "src"):
        folder = path.relative_to(src).parts[0]
        shown = path.relative_to(top)
        if folder not in ALLOWED:
            found.append(f"{shown}:1: folder src/{folder} has no place in the order of tools/check_layers.py")
            continue
        text = path.read_text()
        for match in INCLUDE.finditer(text):
            line = sources.line_of(text, match.start(1))
            target = match.group(1).split("/")[0]
            if "/" not in match.group(1) or match.group(1).startswith("."):
                found.append(f"{shown}:{line}: \"{match.group(1)}\" is not rooted at src/")
            elif target != folder and target not in ALLOWED[folder]:
                found.append(f"{shown}:{line}: {folder} must not include {target} ({match.group(1)})")
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("top", nargs="?", type=pathlib.Path, default=sources.root())
    return sources.report(problems(parser.parse_args().top), "layers")


if __name__ == "__main__":
    sys.exit(main())
