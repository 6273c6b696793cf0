#!/usr/bin/env python3
"""Runs real coding agents through Berth to simulated vLLM servers and checks what became of every request.

Three `berth engine` servers and one with four data-parallel ranks stand behind `berth serve`, once with body edits
on (clients ask for an alias) and once with them off. Between every two programs stands a tap that keeps the bytes.

Example: run.py                  (all cases)
         run.py codex qwen       (cases whose name contains one of these)
"""
import argparse
import pathlib
import shutil
import signal
import sys
import tempfile
import time

import cases
import fleet


def start(berth, folder):
    """Starts engines and gateways; the gateways by name."""
    servers = [fleet.Engine(berth, folder, number) for number in (1, 2, 3)]
    ranked = fleet.Engine(berth, folder, 4, ranks=4)
    return {
        "edits": fleet.Gateway(berth, folder, "edits", servers, edits=True),
        "plain": fleet.Gateway(berth, folder, "plain", servers, edits=False),
        "ranks": fleet.Gateway(berth, folder, "ranks", [ranked], edits=True),
    }


def table(rows):
    """One line a case."""
    columns = ["case", "requests", "exact", "conversations", "outcomes", "replicas", "edits", "seconds"]
    lines = [[row.case, str(row.requests), f"{row.exact}/{row.requests}", str(row.conversations),
              " ".join(f"{name} {count}" for name, count in sorted(row.outcomes.items())), str(row.places),
              " ".join(sorted(row.edits)) or "none", f"{row.seconds:.0f}"] for row in rows]
    widths = [max(len(line[i]) for line in [columns] + lines) for i in range(len(columns))]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip()
                     for line in [columns] + lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("only", nargs="*", help="run the cases whose name contains one of these")
    parser.add_argument("--berth", default=fleet.default_binary(), help="the program under test")
    args = parser.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="berth-clients-"))
    # Being ended from outside ends the agents and programs too.
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    try:
        passed, failures, rows = run_all(args.berth, folder, args.only)
    except fleet.NotStarted as error:
        passed, failures, rows = 0, [str(error)], []
    finally:
        fleet.Program.stop_all()
    print("\n" + table(rows) + "\n")
    for line in failures:
        print(line)
    if failures:
        print(f"The programs' logs are kept: {folder}")
    else:
        shutil.rmtree(folder, ignore_errors=True)
    print(f"{passed} passed, {len(failures)} failed")
    return 1 if failures or not rows else 0


def run_all(berth, folder, only):
    """Runs the cases; (assertions that held, those that did not in words, table rows)."""
    gateways = start(berth, folder)
    done = []
    for name, run in cases.all_cases(gateways):
        if only and not any(word in name for word in only):
            continue
        started = time.monotonic()
        case = run()
        state = "FAILED" if case.failures else "ok"
        print(f"{name} ... {state} ({time.monotonic() - started:.0f} s)", flush=True)
        done.append(case)
    failures = [line for case in done for line in case.failures]
    passed = sum(case.passed for case in done)
    for gateway in gateways.values():
        if gateway.program.stop():
            passed += 1
        else:
            failures.append(f"the gateway {gateway.name} did not end with status 0 at SIGTERM: {gateway.program.log}")
    return passed, failures, [case.row for case in done]


if __name__ == "__main__":
    sys.exit(main())
