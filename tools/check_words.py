#!/usr/bin/env python3
"""Words that do not belong in the project: notes to oneself, paths of somebody's machine, numbers of tickets
without their repository, and host names of package registries (installs go through what the machine has set).

Example: check_words.py
"""
import argparse
import pathlib
import re
import sys

import sources

# Each: pattern, why. Written so that this file passes its own check.
FORBIDDEN = [
    (re.compile(r"\b(TO" r"DO|FIX" r"ME|X" r"XX)\b"), "a note to oneself: do it or drop it"),
    (re.compile(r"(?<![\w.:-])/(work|root|home/\w+)/"), "a path of one machine"),
    (re.compile(r"\bshared/(DESIGN|facts|data|hooks|reference)|\bfacts/\w+\.md"), "a path outside the repository"),
    (re.compile(r"(?<![\w/&#])#\d+\b(?![;\w])"), "a ticket number without owner/repository before it"),
    (re.compile(r"\b[Ii]ssue \d+\b"), "a ticket number"),
    (re.compile(r"\bregistry\.(npmjs|yarnpkg)\.\w+|\bpypi\." r"org|pythonhosted\.\w+|\bcrates\." r"io\b|"
                r"\bproxy\.golang\.\w+|\b(deb|snapshot|security)\.debian\.\w+|repo1?\.maven\.\w+"),
     "the host name of a package registry"),
    (re.compile(r'"resolved":\s*"https?:'), "a lockfile that names a package registry"),
]
# Where a pattern means something else.
SKIPPED_SUFFIXES = {".css", ".svg", ".png", ".ico", ".woff2", ".gz", ".bin"}
SKIPPED_NAMES = {"LICENSE"}
NUMBERS_ARE_DATA = {".json", ".jsonl", ".html", ".ts", ".mjs", ".csv"}


def problems_of(text, shown):
    """One line for every forbidden word of a text."""
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        for pattern, why in FORBIDDEN:
            if "ticket" in why and pathlib.PurePath(shown).suffix in NUMBERS_ARE_DATA:
                continue
            match = pattern.search(line)
            if match:
                found.append(f"{shown}:{number}: \"{match.group().strip()}\": {why}")
    return found


def problems(top):
    """One line for every forbidden word of the repository's text files."""
    found = []
    for path in sources.files(top):
        if path.suffix in SKIPPED_SUFFIXES or path.name in SKIPPED_NAMES:
            continue
        data = path.read_bytes()
        if b"\0" not in data:
            found += problems_of(data.decode(errors="replace"), path.relative_to(top))
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("top", nargs="?", type=pathlib.Path, default=sources.root())
    return sources.report(problems(parser.parse_args().top), "words")


if __name__ == "__main__":
    sys.exit(main())
