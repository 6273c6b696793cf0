#!/usr/bin/env python3
"""berth sim on the command line: the tables, the files, exit codes, and what is said to a person whose trace or fleet
cannot work. Runs the program named by the variable BERTH.

Example: BERTH=build/dev/berth tests/cli/sim_test.py
"""
import csv
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

BERTH = os.environ["BERTH"]
DATA = pathlib.Path(__file__).resolve().parents[2] / "src" / "sim" / "testdata"
TRACE = str(DATA / "sessions.csv")
SHORT = ["--minutes", "1", "--seeds", "2"]
HOLDS_THE_TRACE = ["--preset", "h100-30b-a3b"]


def sim(*arguments):
    return subprocess.run([BERTH, "sim", *arguments], capture_output=True, text=True, timeout=110,
                          stdin=subprocess.DEVNULL)


class Simulator(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def refused(self, arguments, words, status=2):
        """Says why in one line, with the status, and leaves no file."""
        answer = sim(*arguments, "--json", self.path("rows.json"))
        self.assertEqual((answer.returncode, answer.stdout), (status, ""), answer.stderr)
        self.assertIn(words, answer.stderr)
        self.assertEqual(os.listdir(self.folder.name), [])


class Reference(Simulator):
    def test_the_table_has_every_policy_and_the_published_rows(self):
        answer = sim("reference", "--policies", "off,on", "--stages", "4,8", *SHORT)
        self.assertEqual((answer.returncode, answer.stderr), (0, ""))
        rows = [line.split() for line in answer.stdout.splitlines()]
        self.assertEqual([row[0] for row in rows if row[:1] in (["4"], ["8"])], ["4", "8"])
        self.assertIn("published off         180        5,886", answer.stdout)
        self.assertIn("published on          380       10,752", answer.stdout)
        self.assertRegex(answer.stdout, r"\A[\n -~]+\Z")

    def test_the_same_seed_writes_the_same_bytes(self):
        files = []
        for threads in ("1", "2"):
            files.append(self.path(threads))
            answer = sim("reference", "--policies", "on,off", "--stages", "4,16", *SHORT, "--threads", threads,
                         "--json", files[-1])
            self.assertEqual(answer.returncode, 0, answer.stderr)
        one, two = (pathlib.Path(name).read_bytes() for name in files)
        self.assertEqual(one, two)
        rows = json.loads(one)
        self.assertEqual(len(rows), 8)
        self.assertEqual({row["seed"] for row in rows}, {1, 2})

    def test_rows_go_to_standard_output_or_to_csv(self):
        answer = sim("reference", "--policies", "on", "--stages", "4", *SHORT, "--json", "-", "--csv", self.path("c"))
        self.assertEqual(len(json.loads(answer.stdout)), 2)
        with open(self.path("c"), newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([row["policy"] for row in rows], ["on", "on"])
        self.assertEqual(float(rows[0]["ttfb_p50_s"]), json.loads(answer.stdout)[0]["ttfb_p50_s"])

    def test_both_protocols_one_after_the_other(self):
        answer = sim("reference", "--policies", "on", "--stages", "4", *SHORT, "--protocol", "both", "--json", "-")
        self.assertEqual([row["protocol"] for row in json.loads(answer.stdout)], ["published"] * 2 + ["steady"] * 2)

    def test_explain_says_what_limited_each_replica(self):
        answer = sim("reference", "--policies", "on", "--stages", "24", "--seeds", "1", "--explain")
        self.assertIn("its KV cache was full", answer.stdout)
        self.assertIn("again because evicted", answer.stdout)
        self.assertIn("overflow threshold: 8 requests in flight", answer.stdout)

    def test_what_cannot_work_is_said_before_anything_runs(self):
        self.refused(["reference", "--policies", "onn"], "there is no policy 'onn'; did you mean \"on\"?")
        self.refused(["reference", "--preset", "a400"], "--preset: there is no 'a400'")
        self.refused(["reference", "--kv-tokens", "9000"], "kv_tokens: the largest request has")
        self.refused(["reference", "--replicas", "0"], "replicas: must be at least 1")
        self.refused(["reference", "--max-num-seqs", "0"], "max-num-seqs")
        self.refused(["reference", "--event", "lost:4@10"], "there is no server 4")
        self.refused(["reference", "--event", "lost"], "'lost' is not lost:SERVER@SECONDS")

    def test_policies_of_the_waiting_line_are_not_there_yet(self):
        for name in ("berth", "berth-unbounded", "clairvoyant"):
            self.refused(["reference", "--policies", name], f"policy '{name}' needs the waiting line")

    def test_a_file_that_cannot_be_written_fails_at_once(self):
        answer = sim("reference", "--json", self.path("none/rows.json"))
        self.assertEqual((answer.returncode, answer.stdout), (1, ""))
        self.assertIn("none/rows.json: No such file or directory", answer.stderr)

    def test_events_happen(self):
        answer = sim("reference", "--policies", "on", "--stages", "8", *SHORT, "--topology", "servers",
                     "--event", "lost:1@20", "--event", "restarted:1@30", "--event", "added@40", "--json", "-")
        self.assertTrue(all(row["errors"] > 0 for row in json.loads(answer.stdout)), answer.stdout)


class Trace(Simulator):
    def replay(self, *arguments):
        return sim("trace", "--format", "claude-code-csv", "--input", TRACE, *HOLDS_THE_TRACE, "--minutes", "2",
                   "--warm-up", "1", *arguments)

    def test_the_ratio_is_sessions_times_context_to_cache(self):
        answer = self.replay("--ratio", "0.1,0.2", "--policies", "on", "--json", "-")
        rows = json.loads(answer.stdout)
        self.assertEqual([row["ratio"] for row in rows], [0.1, 0.2])
        # 4 x 600,000 tokens of KV, and 32,508 tokens a request.
        self.assertEqual([row["stage"] for row in rows], [7, 15])

    def test_open_arrivals_and_autonomous_gaps(self):
        for arrivals in ("poisson", "burst"):
            answer = self.replay("--ratio", "0.2", "--policies", "on", "--arrivals", arrivals, "--gaps", "autonomous",
                                 "--json", "-")
            self.assertGreater(json.loads(answer.stdout)[0]["turns_per_min"], 10, answer.stderr)

    def test_a_bad_row_is_named_by_file_line_and_field(self):
        with tempfile.TemporaryDirectory() as folder:
            lines = pathlib.Path(TRACE).read_text(encoding="utf-8").splitlines()
            lines[4] = lines[4].replace(",made-up-1", ",made-up-1").replace(lines[4].split(",")[7], "many")
            bad = os.path.join(folder, "bad.csv")
            pathlib.Path(bad).write_text("\n".join(lines), encoding="utf-8")
            self.refused(["trace", "--format", "claude-code-csv", "--input", bad], f"{bad}:5: in_tokens: 'many'")

    def test_a_cache_smaller_than_a_prompt_says_what_would_help(self):
        self.refused(["trace", "--format", "claude-code-csv", "--input", TRACE], "--max-context 35984 leaves out")

    def test_a_missing_file_and_a_missing_format(self):
        self.refused(["trace", "--format", "mooncake", "--input", self.path("none")], "No such file", status=1)
        self.refused(["trace", "--input", TRACE], "--format is required")

    def test_the_made_up_trace_is_what_its_program_makes(self):
        made = subprocess.run([sys.executable, DATA / "make_sessions.py"], capture_output=True, text=True, check=True)
        self.assertEqual(made.stdout, pathlib.Path(TRACE).read_text(encoding="utf-8"))


class Others(Simulator):
    def test_list_names_every_policy_that_can_be_run_and_no_other(self):
        listing = json.loads(sim("list", "--json").stdout)
        names = [entry["name"] for entry in listing["policies"]]
        for name in ("off", "off-published", "off-rotating", "off-2026", "on", "on-stale", "oracle", "infinite",
                     "round-robin", "least-loaded", "session-hash", "random"):
            self.assertIn(name, names)
        self.assertNotIn("berth", names)
        text = sim("list").stdout
        for name in names:
            self.assertIn(f"\n  {name} ", text)

    def test_why_says_in_words_what_limits_the_fleet(self):
        answer = sim("why", "--sessions", "24", "--minutes", "10")
        self.assertEqual((answer.returncode, answer.stderr), (0, ""))
        self.assertIn("12 the fleet", answer.stdout)
        self.assertIn("gpu0:8000#3  its KV cache was full", answer.stdout)
        self.assertEqual(len(json.loads(sim("why", "--sessions", "4", "--minutes", "2", "--json").stdout)["replicas"]), 4)

    def test_seven_cards_two_by_two_beside_the_story(self):
        answer = sim("seven-cards", "--minutes", "18", "--seeds", "1")
        self.assertEqual((answer.returncode, answer.stderr), (0, ""))
        self.assertEqual(answer.stdout.count("session-hash  "), 2, answer.stdout)
        self.assertIn("Placement alone (26 sessions, session-hash -> on)", answer.stdout)
        self.assertIn("the story, hash", answer.stdout)

    def test_a_missing_or_unknown_command_is_bad_usage(self):
        answer = sim()
        self.assertEqual(answer.returncode, 2)
        self.assertIn("berth sim: name one of reference, trace, seven-cards, why, list\n", answer.stderr)
        answer = sim("refrence")
        self.assertEqual(answer.returncode, 2)
        self.assertIn('unknown command "refrence"; did you mean "reference"?', answer.stderr)

    def test_every_command_has_help_with_an_example(self):
        for name in ("reference", "trace", "seven-cards", "why", "list"):
            with self.subTest(command=name):
                answer = sim(name, "--help")
                self.assertEqual((answer.returncode, answer.stderr), (0, ""))
                self.assertRegex(answer.stdout, rf"\nExamples?:\n  berth sim {name}\b")
                self.assertRegex(answer.stdout, r"\A[\n -~]+\Z")


if __name__ == "__main__":
    unittest.main()
