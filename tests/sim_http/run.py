#!/usr/bin/env python3
"""Compares the simulator with the programs it simulates: the same sessions, once in `berth sim` and once as HTTP
traffic to a `berth serve` in front of a `berth engine`, both with affinity on and off.

The programs run --time-scale times faster than the machine they imitate, so a second of theirs is that many of the
table. Prints the table; exits 1 when a difference is out of bounds, 2 when something could not run.

Example: run.py
         run.py --minutes 60 --seed 7 --arms on
"""
import argparse
import json
import pathlib
import sys
import tempfile

import programs

MODEL = "sim-model"
RANKS = 4
# Runs of the simulator are cheap, so its side of the table has next to no spread: one run's hits have a standard
# deviation of 1.5 points with affinity off.
SIMULATED_SEEDS = 20


def percent_of(seen, expected):
    return abs(seen - expected) / expected * 100 if expected else float("inf")


def bounds(scale):
    """Name, key in the rows, how it is shown, and whether a pair (simulator, HTTP) is near enough."""
    delay = 0.010 * scale  # what 10 ms of this machine are in the engine's time

    def near_in_time(expected, seen):
        return percent_of(seen, expected) <= 10 or abs(seen - expected) <= delay

    return [
        ("prefix hits, %", "prefix_hit_ratio", lambda v: f"{v * 100:.1f}", lambda e, s: abs(e - s) <= 0.03),
        ("output tokens/min", "output_tokens_per_min", lambda v: f"{v:,.0f}", lambda e, s: percent_of(s, e) <= 10),
        ("TTFB p50, s", "ttfb_p50_s", lambda v: f"{v:.2f}", near_in_time),
        ("TTFB p95, s", "ttfb_p95_s", lambda v: f"{v:.2f}", near_in_time),
        ("TTFB mean, s", "ttfb_mean_s", lambda v: f"{v:.2f}", near_in_time),
    ]


def simulated(options, arm):
    """The row of `berth sim reference` for one arm: the mean over the seeds."""
    rows = json.loads(programs.output_of([
        options.berth, "sim", "reference", "--stages", str(options.sessions), "--minutes", str(options.minutes),
        "--policies", arm, "--seed", str(options.seed), "--seeds", str(SIMULATED_SEEDS), "--json", "-"]))
    return mean_of(rows)


def mean_of(rows):
    return {key: sum(row[key] for row in rows) / len(rows) for _, key, _, _ in bounds(1)}


def spoken(options, arm, seed):
    """The same over HTTP: one engine and one gateway, fresh, and the clients."""
    with tempfile.TemporaryDirectory() as folder, programs.Programs(pathlib.Path(folder)) as started:
        engine = started.engine(options.berth, MODEL, RANKS, options.time_scale)
        gateway = started.gateway(options.berth, engine, affinity=arm == "on")
        return json.loads(programs.output_of([
            options.clients, "--gateway", gateway, "--engine", engine, "--model", MODEL, "--ranks", str(RANKS),
            "--sessions", str(options.sessions), "--minutes", str(options.minutes),
            "--time-scale", str(options.time_scale), "--seed", str(seed)]))


def compare(options, arm):
    """Prints the rows of one arm; how many are in bounds and how many are not."""
    expected = simulated(options, arm)
    seen = mean_of([spoken(options, arm, options.seed + i) for i in range(options.seeds)])
    passed = failed = 0
    for name, key, shown, near in bounds(options.time_scale):
        good = near(expected[key], seen[key])
        passed, failed = passed + good, failed + (not good)
        off_by = f"{percent_of(seen[key], expected[key]):.1f} %"
        print(f"{arm:<4} {name:<18} {shown(expected[key]):>10} {shown(seen[key]):>10} {off_by:>11}"
              f"{'' if good else '   out of bounds'}", flush=True)
    return passed, failed


def options_of(argv):
    build = pathlib.Path(__file__).resolve().parents[2] / "build" / "release"
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--arms", default="on,off", help="on, off or both (default %(default)s)")
    parser.add_argument("--sessions", type=int, default=8, help="clients at once (default %(default)s)")
    parser.add_argument("--minutes", type=float, default=20, help="of the engine's time, a run (default %(default)s)")
    parser.add_argument("--time-scale", type=float, default=20, help="of the engine (default %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="the first (default %(default)s)")
    parser.add_argument("--seeds", type=int, default=2, help="runs of an arm (default %(default)s)")
    parser.add_argument("--berth", default=str(build / "berth"), help="the program (default: the release build)")
    parser.add_argument("--clients", default=str(build / "tests" / "sim_http" / "sim_http_clients"),
                        help="the clients' program (default: the release build)")
    options = parser.parse_args(argv)
    options.arms = options.arms.split(",")
    if not set(options.arms) <= {"on", "off"}:
        parser.error("--arms: on, off or on,off")
    return options


def main(argv):
    options = options_of(argv)
    print(f"{options.sessions} sessions of the reference workload, {options.minutes:g} min from a warm start, "
          f"seeds {options.seed} to {options.seed + options.seeds - 1}, time scale {options.time_scale:g}.\n\n"
          f"{'arm':<4} {'':<18} {'simulator':>10} {'HTTP':>10} {'difference':>11}", flush=True)
    passed = failed = 0
    try:
        for arm in options.arms:
            good, bad = compare(options, arm)
            passed, failed = passed + good, failed + bad
    except programs.Failed as problem:
        print(f"sim-http: {problem}", file=sys.stderr)
        return 2
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
