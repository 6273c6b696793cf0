#!/usr/bin/env python3
"""berth engine as a program: its address, its end, and what it says to bad flags. Runs the program named by BERTH.

Example: BERTH=build/dev/berth tests/cli/engine_test.py
"""
import http.client
import json
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import unittest

BERTH = os.environ["BERTH"]
MODEL = "test/model"


class Engine:
    """A running engine on a free port."""

    def __init__(self, *flags):
        self.process = subprocess.Popen([BERTH, "engine", "--listen", "127.0.0.1:0", "--model", MODEL, *flags],
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.line = self.process.stdout.readline()
        self.port = int(re.search(r"http://127\.0\.0\.1:(\d+) ", self.line).group(1))
        self.connections = []

    def open(self, method, path, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        self.connections.append(connection)
        headers = {"Content-Type": "application/json"} if body is not None else {}
        connection.request(method, path, None if body is None else json.dumps(body), headers)
        return connection.getresponse()

    def end(self, sign):
        """Exit status after that signal."""
        self.process.send_signal(sign)
        status = self.process.wait(60)
        for stream in (self.process.stdout, self.process.stderr, *self.connections):
            stream.close()
        return status


def failing(*flags):
    return subprocess.run([BERTH, "engine", *flags], capture_output=True, text=True, timeout=60)


class Program(unittest.TestCase):
    def test_it_says_where_it_is_and_what(self):
        engine = Engine("--data-parallel-size", "4", "--balancer", "off-2026", "--kv-tokens", "50000")
        self.assertIn(f"{MODEL} on http://127.0.0.1:{engine.port} (4 ranks, balancer off-2026, 50000 KV tokens a rank)",
                      engine.line)
        self.assertEqual(engine.open("GET", "/health").status, 200)
        self.assertIn('engine="3"', engine.open("GET", "/metrics").read().decode())
        self.assertEqual(engine.end(signal.SIGTERM), 0)

    def test_it_ends_cleanly_with_a_stream_open(self):
        for sign in (signal.SIGINT, signal.SIGTERM):
            engine = Engine("--time-scale", "0.001")
            stream = engine.open("POST", "/v1/chat/completions",
                                 {"stream": True, "messages": [{"role": "user", "content": "hi"}]})
            self.assertEqual(stream.status, 200)
            self.assertEqual(engine.end(sign), 0)

    def test_it_fits_a_step_time_and_takes_it(self):
        with tempfile.TemporaryDirectory() as folder:
            times = pathlib.Path(folder) / "times.csv"
            times.write_text("# base 20 ms, 0.2 ms, 1 ms, 1 us, 10 ns\n"
                             "prompt,1000,0,0.225\nprompt,10000,0,2.6\nprompt,10000,8000,0.6\n"
                             "decode,1,1000,0.022\ndecode,8,1000,0.036\ndecode,8,10000,0.108\n")
            fitted = subprocess.run([BERTH, "engine", "--fit", str(times)], capture_output=True, text=True, timeout=60)
            self.assertEqual((fitted.returncode, fitted.stderr), (0, ""))
            self.assertEqual(fitted.stdout.splitlines()[0], "--step-time 0.02,0.0002,0.001,1e-06,1e-08")
            times.write_text("prompt,1000,0,0.225\ndecode,some\n")
            refused = failing("--fit", str(times))
            self.assertEqual(refused.returncode, 2)
            self.assertIn(f"{times}:2: ", refused.stderr)
            times.write_text("prompt,1000,0,0.225\n")
            self.assertIn("do not tell prefill_token", failing("--fit", str(times)).stderr)
        engine = Engine("--step-time", "0.02,0.0002,0.001,1e-06,1e-08", "--no-async-scheduling", "--block-size", "32",
                        "--no-scheduler-reserve-full-isl", "--prefix-counters", "attempt", "--watermark", "0.01")
        self.assertIn('block_size="32"', engine.open("GET", "/metrics").read().decode())
        self.assertEqual(engine.end(signal.SIGTERM), 0)

    def test_it_serves_every_name_and_records(self):
        with tempfile.TemporaryDirectory() as folder:
            record = pathlib.Path(folder) / "record.jsonl"
            engine = Engine("--model", "alias", "--record", str(record), "--time-scale", "1000")
            answer = engine.open("POST", "/v1/chat/completions",
                                 {"model": "alias", "messages": [{"role": "user", "content": "hi"}]})
            self.assertEqual(json.loads(answer.read())["model"], MODEL)
            self.assertEqual(engine.end(signal.SIGTERM), 0)
            lines = [json.loads(line) for line in record.read_text().splitlines()]
            self.assertEqual([line["status"] for line in lines], [200])


class Refusals(unittest.TestCase):
    def test_bad_flags_are_bad_usage_and_named(self):
        for flags, words in ((["--balancer", "on"], "--balancer: there is no 'on'"),
                             (["--preset", "h200"], "--preset: there is no 'h200'"),
                             (["--listen", "example.org:80"], "--listen: "),
                             (["--time-scale", "0"], "time-scale must be"),
                             (["--kv-tokens", "10"], "kv-tokens must be"),
                             (["--block-size", "0"], "block-size must be"),
                             (["--max-model-len", "36000"], "max-model-len 36000 does not fit"),
                             (["--max-num-batched-tokens", "8"], "max-num-batched-tokens must be"),
                             (["--watermark", "1"], "watermark must be"),
                             (["--step-time", "1,2"], "--step-time: five numbers"),
                             (["--prefix-counters", "both"], "--prefix-counters: there is no 'both'"),
                             (["--fit", "/nonexistent/file"], "cannot read /nonexistent/file"),
                             (["--data-parallel-size", "0"], "data-parallel-size must be")):
            answer = failing(*flags)
            self.assertEqual((answer.returncode, answer.stdout), (2, ""), flags)
            self.assertIn(f"berth engine: {words}", answer.stderr)

    def test_an_address_in_use_is_a_failure(self):
        engine = Engine()
        answer = failing("--listen", f"127.0.0.1:{engine.port}")
        self.assertEqual(answer.returncode, 1)
        self.assertIn(str(engine.port), answer.stderr)
        self.assertEqual(engine.end(signal.SIGTERM), 0)

    def test_a_record_that_cannot_be_written_is_a_failure(self):
        answer = failing("--listen", "127.0.0.1:0", "--record", "/nonexistent/file")
        self.assertEqual(answer.returncode, 1)
        self.assertIn("/nonexistent/file", answer.stderr)


if __name__ == "__main__":
    unittest.main()
