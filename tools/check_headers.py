#!/usr/bin/env python3
"""Checks that every header of src/ compiles on its own, whatever was included before it.

A header whose own .cc file includes it first is proven by the build and skipped; every other one is compiled
alone (-fsyntax-only) with the flags of its folder, taken from compile_commands.json. A result is remembered
in the build folder until the header, anything of the project it includes, or the flags change.

Example: check_headers.py build/dev
"""
import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

import sources

FIRST_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+["<]([^">]+)[">]', re.M)


def proven_by_build(header, src):
    """True when the header's own .cc file includes it before anything else."""
    body = header.with_suffix(".cc")
    if not body.is_file():
        return False
    first = FIRST_INCLUDE.search(body.read_text())
    return bool(first) and first.group(1) == str(header.relative_to(src))


def flags_by_folder(build):
    """Compiler and flags of one source file of each folder; the key None holds any of them."""
    found = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        words = shlex.split(entry["command"])
        if os.path.basename(words[0]) == "ccache":
            words = words[1:]
        kept = [w for i, w in enumerate(words)
                if w not in ("-c", "-o", entry["file"]) and words[i - 1] != "-o"]
        found.setdefault(pathlib.Path(entry["file"]).parent, kept)
        found.setdefault(None, kept)
    return found


def digest(paths, flags):
    """Of the content of these files and the flags; None when one is gone."""
    state = hashlib.sha256("\0".join(flags).encode())
    for path in sorted(paths):
        if not os.path.exists(path):
            return None
        state.update(path.encode() + b"\0" + pathlib.Path(path).read_bytes())
    return state.hexdigest()


def compile_alone(header, src, flags):
    """(the compiler's complaint or "", the project's files the header pulls in)."""
    with tempfile.TemporaryDirectory() as temp:
        unit = pathlib.Path(temp) / "alone.cc"
        unit.write_text(f'#include "{header.relative_to(src)}"\n')
        deps = pathlib.Path(temp) / "deps"
        done = subprocess.run(flags + [f"-I{src}", "-fsyntax-only", "-MD", "-MF", str(deps), str(unit)],
                              capture_output=True, text=True, check=False)
        words = deps.read_text().replace("\\\n", " ").split() if deps.exists() else []
    inside = [w for w in words if w.startswith(str(src) + "/")]
    return (done.stderr if done.returncode != 0 else ""), inside


def problems(top, build):
    """One line for every header that does not compile alone, with the compiler's first error."""
    src = pathlib.Path(top) / "src"
    memory_file = build / "check_headers.json"
    memory = json.loads(memory_file.read_text()) if memory_file.exists() else {}
    by_folder = flags_by_folder(build)
    todo, found = [], []
    for header in sources.files(top, (".h",), "src"):
        flags = by_folder.get(header.parent, by_folder[None])
        known = memory.get(str(header))
        fresh = known and digest(known["files"], flags) == known["digest"]
        if not fresh and not proven_by_build(header, src):
            todo.append((header, flags))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(lambda job: compile_alone(job[0], src, job[1]), todo))
    for (header, flags), (complaint, files) in zip(todo, results):
        if complaint:
            error = next((line for line in complaint.splitlines() if " error:" in line), complaint)
            found.append(f"{header.relative_to(top)}:1: does not compile alone: {error.strip()}")
        else:
            memory[str(header)] = {"files": files, "digest": digest(files, flags)}
    memory_file.write_text(json.dumps(memory))
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path, help="a configured build folder")
    parser.add_argument("--top", type=pathlib.Path, default=sources.root())
    args = parser.parse_args()
    return sources.report(problems(args.top, args.build), "headers")


if __name__ == "__main__":
    sys.exit(main())
