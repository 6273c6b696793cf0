#!/usr/bin/env python3
"""The command line as a contract: exit codes, help, what is said to a person who typed something wrong, and
check-config. Runs the program named by the variable BERTH.

Example: BERTH=build/dev/berth tests/cli/command_line_test.py
"""
import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

BERTH = os.environ["BERTH"]
DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs"


def berth(*arguments, **variables):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("BERTH")}
    return subprocess.run([BERTH, *arguments], capture_output=True, text=True, timeout=60,
                          stdin=subprocess.DEVNULL, env={**environment, **variables})


def commands():
    listing = berth().stderr.split("Commands:\n")[1].split("\n\n")[0]
    return [line.split()[0] for line in listing.splitlines()]


class Usage(unittest.TestCase):
    def test_alone_it_says_what_it_can_do_and_where_to_begin(self):
        answer = berth()
        self.assertEqual(answer.returncode, 2)
        self.assertEqual(answer.stdout, "")
        self.assertIn("\n  serve ", answer.stderr)
        self.assertIn("Example:\n  berth serve http://gpu0:8000", answer.stderr)

    def test_help_is_no_error(self):
        for arguments in (["--help"], ["-h"]):
            answer = berth(*arguments)
            self.assertEqual((answer.returncode, answer.stderr), (0, ""))
            self.assertIn("check-config", answer.stdout)

    def test_an_unknown_command_is_bad_usage(self):
        answer = berth("nope")
        self.assertEqual(answer.returncode, 2)
        self.assertTrue(answer.stderr.startswith('berth: unknown command "nope"\n'), answer.stderr)

    def test_a_mistyped_command_is_guessed(self):
        for typed, meant in (("sevre", "serve"), ("check_config", "check-config"), ("stat", "status")):
            answer = berth(typed)
            self.assertEqual(answer.returncode, 2)
            self.assertIn(f'unknown command "{typed}"; did you mean "{meant}"?', answer.stderr)

    def test_a_mistyped_flag_is_guessed(self):
        answer = berth("serve", "--lisen", "127.0.0.1:0")
        self.assertEqual(answer.returncode, 2)
        self.assertIn('berth serve: unknown flag "--lisen"; did you mean "--listen"?', answer.stderr)
        self.assertIn("berth serve --help", answer.stderr)

    def test_other_misuse_exits_with_2_too(self):
        for arguments in (["--foo"], ["version", "extra"], ["serve", "--listen"], ["check-config"],
                          ["check-config", "a", "--listen", "1", "--listen", "2"]):
            answer = berth(*arguments)
            self.assertEqual(answer.returncode, 2, arguments)
            self.assertTrue(answer.stderr.startswith("berth"), answer.stderr)
            self.assertEqual(answer.stdout, "")

    def test_every_command_has_help_with_an_example_of_itself(self):
        names = commands()
        self.assertGreaterEqual(len(names), 3)
        for name in names:
            with self.subTest(command=name):
                answer = berth(name, "--help")
                self.assertEqual((answer.returncode, answer.stderr), (0, ""))
                self.assertRegex(answer.stdout, rf"\nExamples?:.*\n(.*\n)*? +(\S+=\S+ )*berth {name}\b")
                self.assertRegex(answer.stdout, r"\A[\n -~]+\Z")


class CheckConfig(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, text):
        path = self.folder / "berth.toml"
        path.write_text(text)
        return str(path)

    def test_prints_each_value_with_its_source(self):
        path = self.write('threads = 2\n[[server]]\nurl = "http://gpu0:8000"\n')
        answer = berth("check-config", path, "--listen", "9000", BERTH_AFFINITY="off")
        self.assertEqual((answer.returncode, answer.stderr), (0, ""))
        for key, value, source in (("threads", "2", re.escape(path) + ":1"), ("listen", "127.0.0.1:9000", "--listen"),
                                   ("defaults.affinity", "false", "BERTH_AFFINITY"),
                                   ("timeouts.drain", "1m", "default")):
            self.assertRegex(answer.stdout, rf"(?m)^{re.escape(key)} +{re.escape(value)} +{source}$")

    def test_the_documented_example_is_valid(self):
        answer = berth("check-config", str(DOCS / "berth.toml"))
        self.assertEqual((answer.returncode, answer.stderr), (0, ""))
        self.assertNotIn("warning:", answer.stdout)

    def test_the_file_of_the_readme_is_valid(self):
        blocks = re.findall(r"```toml\n(.*?)```", (DOCS.parent / "README.md").read_text(), re.S)
        self.assertEqual(len(blocks), 1)
        # Not every machine lets who runs the tests make a folder in /var/lib.
        text = blocks[0].replace("/var/lib/berth", str(self.folder / "state"))
        answer = berth("check-config", self.write(text))
        self.assertEqual((answer.returncode, answer.stderr), (0, ""))

    def test_a_bad_file_is_a_failed_check_with_one_line_a_problem(self):
        path = self.write('lisen = "x"\n[limits]\nbody_bytes = "64M"\n[[server]]\nurl = "gpu0"\n')
        answer = berth("check-config", path)
        self.assertEqual((answer.returncode, answer.stdout), (1, ""))
        lines = answer.stderr.splitlines()
        self.assertEqual(lines[0], f'{path}:1:1: lisen: unknown key; did you mean "listen"?')
        self.assertTrue(lines[1].startswith(f"{path}:3:14: limits.body_bytes: expected a size"), lines)
        self.assertTrue(lines[2].startswith(f"{path}:5:7: server.url: expected a URL"), lines)
        self.assertEqual(len(lines), 3)

    def test_what_serve_could_not_open_is_a_failed_check(self):
        path = self.write('access_log = "no/log"\nstate_dir = "berth.toml"\n[[server]]\nurl = "http://gpu0:8000"\n')
        answer = berth("check-config", path)
        self.assertEqual((answer.returncode, answer.stdout), (1, ""))
        lines = answer.stderr.splitlines()
        self.assertEqual(len(lines), 2)
        self.assertTrue(lines[0].startswith(f"{path}:1: access_log: the folder "), lines)
        self.assertEqual(lines[1], f"{path}:2: state_dir: {path} is not a folder")

    def test_a_bad_file_as_json(self):
        path = self.write("threads = -1\n")
        answer = berth("check-config", "--json", path)
        self.assertEqual((answer.returncode, answer.stderr), (1, ""))
        report = json.loads(answer.stdout)
        self.assertEqual(report["valid"], False)
        self.assertEqual(report["errors"], [f"{path}:1:11: threads: must be 0 to 256, found -1"])

    def test_a_good_file_as_json(self):
        answer = berth("check-config", "--json", self.write('[[server]]\nurl = "http://gpu0:8000"\n'))
        report = json.loads(answer.stdout)
        self.assertEqual((answer.returncode, report["valid"]), (0, True))
        self.assertIn({"key": "limits.connections", "value": 10000, "source": "default"}, report["settings"])

    def test_a_missing_file_is_named(self):
        path = str(self.folder / "none.toml")
        answer = berth("check-config", path)
        self.assertEqual((answer.returncode, answer.stdout), (1, ""))
        self.assertEqual(answer.stderr, f"{path}: cannot be read: No such file or directory\n")

    def test_the_file_may_come_from_the_environment(self):
        path = self.write('[[server]]\nurl = "http://gpu0:8000"\n')
        self.assertEqual(berth("check-config", BERTH_CONFIG=path).returncode, 0)

    def test_serve_refuses_what_check_config_refuses(self):
        path = self.write('threads = -1\n[[server]]\nurl = "http://gpu0:8000"\n')
        answer = berth("serve", "--config", path)
        self.assertEqual(answer.returncode, 1)
        self.assertIn(f"{path}:1:11: threads: must be 0 to 256", answer.stderr)


if __name__ == "__main__":
    unittest.main()
