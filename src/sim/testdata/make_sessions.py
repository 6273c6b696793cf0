#!/usr/bin/env python3
"""Makes sessions.csv: coding-agent sessions in the format of `berth sim trace --format claude-code-csv`, for tests
and for trying the command without a real trace. Every number is drawn from a seed; nothing is copied from real
traffic, only the shapes are like it: contexts that grow to tens of thousands of tokens, small additions with a few
large ones, short pauses after tools and long ones before people, a compaction now and then, a subagent here and there.

Example: make_sessions.py > sessions.csv
"""
import random
import sys

BLOCK = 64
COLUMNS = ("session,stream,idx,t_s,think_s,api_s,ttft_s,in_tokens,out_tokens,n_blocks,prefix_blocks_prev,"
           "prefix_blocks_any,trigger,stop,model")


def stream(rng, session, name, turns, start_tokens):
    """The rows of one stream."""
    rows, context, before, seconds = [], start_tokens, 0, 0.0
    for idx in range(turns):
        trigger = "start" if idx == 0 else ("user" if rng.random() < 0.15 else "tool")
        kept = min(before, context) // BLOCK
        if idx > 0 and rng.random() < 0.03:  # a compaction: most of the history is rewritten
            context = max(start_tokens, context // 3)
            kept = min(start_tokens, context) // BLOCK
        think = 0.0
        if idx > 0:
            think = round(rng.lognormvariate(4.5, 1.2) if trigger == "user" else rng.lognormvariate(1.8, 1.3), 3)
        output = max(1, int(rng.lognormvariate(5.4, 0.9)))
        api = round(1.0 + output / 60, 2)
        stop = "end_turn" if idx + 1 == turns else "tool_use"
        seconds += think
        rows.append(f"{session},{name},{idx},{seconds:.1f},{think},{api},,{context},{output},{context // BLOCK},"
                    f"{kept},{kept},{trigger},{stop},made-up-1")
        seconds += api
        before = context
        context += output + int(rng.lognormvariate(6.4, 1.1))
    return rows


def main():
    rng = random.Random(20261130)
    print(COLUMNS)
    for number in range(1, 25):
        session = f"made_{number:04d}"
        turns = min(60, max(3, int(rng.lognormvariate(2.7, 0.7))))
        rows = stream(rng, session, "main", turns, rng.randint(15_500, 20_000))
        if rng.random() < 0.25:
            rows += stream(rng, session, "agent_001", rng.randint(3, 9), rng.randint(15_100, 16_000))
        print("\n".join(rows))


if __name__ == "__main__":
    sys.exit(main())
