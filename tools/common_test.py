"""What ./test makes of ctest's output, and what it says and returns on bad usage."""
import pathlib
import shlex
import subprocess
import unittest

import sample
import sources

ALL_PASS = "1/2 Test #" "1: a ... Passed 0.01 sec\n100% tests passed, 0 tests failed out of 12\n"
SOME_FAIL = "2/3 Test #" "2: b ...***Failed 0.1 sec\n67% tests passed, 1 tests failed out of 3\n"
SKIPS = "2/3 Test #" "2: b ...***Skipped 0.1 sec\n100% tests passed, 0 tests failed out of 3\n"


def bash(script, **more):
    top = sources.root()
    return subprocess.run(["bash", "-c", f"root={top}; . {top}/tools/common.sh; {script}"], capture_output=True,
                          text=True, check=False, **more)


class Counts(unittest.TestCase):
    def counts(self, log):
        with sample.tree({"log": log}) as top:
            done = bash(f"counts {top}/log")
        return done.stdout, done.returncode

    def test_the_closing_line(self):
        self.assertEqual(self.counts(ALL_PASS), ("12 passed, 0 failed\n", 0))
        self.assertEqual(self.counts(SOME_FAIL), ("2 passed, 1 failed\n", 0))
        self.assertEqual(self.counts(SKIPS), ("2 passed, 0 failed, 1 skipped\n", 0))

    def test_no_closing_line_is_a_failure(self):
        self.assertEqual(self.counts("no tests were found\n"), ("0 passed, 1 failed\n", 1))


class Quietly(unittest.TestCase):
    def test_output_is_shown_only_on_failure(self):
        good = bash("quietly 'Doing it' echo much")
        self.assertEqual((good.returncode, good.stdout), (0, "Doing it ... done in 0 s\n"))
        bad = bash("quietly 'Doing it' bash -c 'echo much; exit 3'")
        self.assertEqual(bad.returncode, 3)
        self.assertIn("failed after", bad.stdout)
        self.assertTrue(bad.stdout.endswith("much\n"))

    def test_on_a_terminal_the_steps_of_ninja_are_counted(self):
        top = sources.root()
        # The command waits until the count was shown, so nothing depends on how fast it is.
        script = (f"root={top}; . {top}/tools/common.sh; shown=$(mktemp -u); "
                  "printf() { builtin printf \"$@\"; case \"$*\" in *'[3/9]'*) : >\"$shown\" ;; esac; }; "
                  "quietly 'Counting' bash -c 'echo \"[3/9] Building\"; for i in $(seq 300); do "
                  "[ -e \"'$shown'\" ] && break; sleep 0.1; done'; rm -f \"$shown\"")
        done = subprocess.run(["script", "-qec", f"bash -c {shlex.quote(script)}", "/dev/null"], capture_output=True,
                              text=True, check=False, stdin=subprocess.DEVNULL)
        self.assertIn("Counting ... [3/9] ", done.stdout)
        self.assertRegex(done.stdout, r"Counting \.\.\. done in \d+ s")

    def test_builds_of_two_presets_have_two_logs(self):
        done = bash("cmake() { :; }; build dev; build release")
        self.assertIn("Building dev with ", done.stdout)
        self.assertIn("Building release with ", done.stdout)

    def test_seconds(self):
        self.assertEqual(bash("seconds 59; seconds 61").stdout, "59 s1 min 1 s")


class Usage(unittest.TestCase):
    def run_test(self, *words):
        return subprocess.run([str(sources.root() / "test"), *words], capture_output=True, text=True, check=False)

    def test_an_unknown_target_is_bad_usage(self):
        done = self.run_test("asna")
        self.assertEqual(done.returncode, 2)
        self.assertIn('did you mean "asan"?', done.stderr)

    def test_help_of_a_target_builds_nothing(self):
        for script in pathlib.Path(sources.root(), "tests", "targets").glob("*.sh"):
            done = self.run_test(script.stem, "--help")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertTrue(done.stdout.startswith(f"./test {script.stem}: "), done.stdout)

    def test_help_lists_every_target_with_what_it_is(self):
        done = self.run_test("--help")
        self.assertEqual(done.returncode, 0)
        for script in pathlib.Path(sources.root(), "tests", "targets").glob("*.sh"):
            self.assertRegex(done.stdout, rf"(?m)^  {script.stem} +\S+")


if __name__ == "__main__":
    unittest.main()
