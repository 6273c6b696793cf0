#!/usr/bin/env python3
"""Says that a ./test target does not exist and names the nearest one.

Example: did_you_mean.py asna tests/targets/*.sh
"""
import argparse
import difflib
import pathlib


def message(asked, names):
    near = difflib.get_close_matches(asked, names, n=1, cutoff=0.5)
    hint = f"; did you mean \"{near[0]}\"?" if near else ""
    return f"./test has no target \"{asked}\"{hint} Targets: {', '.join(sorted(names))}"


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("asked")
    parser.add_argument("scripts", nargs="+", type=pathlib.Path)
    args = parser.parse_args()
    print(message(args.asked, [script.stem for script in args.scripts]))


if __name__ == "__main__":
    main()
