#!/usr/bin/env python3
"""Small rooms: no file over 600 lines, no C++ function over 60, and the median C++ file of src/ under 6 KB.

Example: check_sizes.py
"""
import argparse
import pathlib
import re
import statistics
import sys

import sources

MAX_FILE_LINES = 600
MAX_FUNCTION_LINES = 60
MAX_MEDIAN_BYTES = 6 * 1024
TEXT = (".cc", ".h", ".py", ".sh", ".cmake", ".ts", ".mjs", ".css", ".html")
SCOPE = re.compile(r"\b(namespace|class|struct|union|enum|extern)\b")
LABEL = re.compile(r"\b(public|private|protected)\s*:|\balignas\([^)]*\)")


def functions(text):
    """(first line, lines) of every function body: a braced block with "(" before it, outside other bodies."""
    plain = sources.blank(text)
    scopes, found, header_from = [], [], 0
    for match in re.finditer(r"[{};]", plain):
        at, c = match.start(), match.group()
        inside = any(kind != "scope" for kind, _ in scopes)
        if c == "{":
            header = LABEL.sub(lambda m: " " * len(m.group()), plain[header_from:at])
            if inside:
                kind = "inner"
            elif SCOPE.search(header) and "(" not in SCOPE.split(header, 1)[-1]:
                kind = "scope"
            else:
                kind = "function" if "(" in header else "value"
            start = header_from + len(header) - len(header.lstrip())
            scopes.append((kind, start))
        elif c == "}" and scopes:
            kind, start = scopes.pop()
            if kind == "function":
                first = sources.line_of(plain, start)
                found.append((first, sources.line_of(plain, at) - first + 1))
        if not any(kind != "scope" for kind, _ in scopes):
            header_from = at + 1
    return found


def problems(top):
    """One line for every file, function or median that is too big."""
    found, sizes = [], []
    for path in sources.files(top, TEXT):
        shown, text = path.relative_to(top), path.read_text()
        lines = text.count("\n")
        if lines > MAX_FILE_LINES:
            found.append(f"{shown}:1: {lines} lines; at most {MAX_FILE_LINES}: split it")
        if path.suffix not in sources.CPP:
            continue
        if shown.parts[0] == "src":
            sizes.append(len(text.encode()))
        for first, length in functions(text):
            if length > MAX_FUNCTION_LINES:
                found.append(f"{shown}:{first}: a function of {length} lines; at most {MAX_FUNCTION_LINES}")
    if sizes and statistics.median(sizes) > MAX_MEDIAN_BYTES:
        found.append(f"src:1: the median file has {statistics.median(sizes):.0f} bytes; at most {MAX_MEDIAN_BYTES}")
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("top", nargs="?", type=pathlib.Path, default=sources.root())
    return sources.report(problems(parser.parse_args().top), "sizes")


if __name__ == "__main__":
    sys.exit(main())
