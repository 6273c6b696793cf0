"""What ./test says of a target it does not have."""
import unittest

import did_you_mean


class DidYouMean(unittest.TestCase):
    def test_the_nearest_is_named(self):
        self.assertIn('did you mean "asan"?', did_you_mean.message("asna", ["asan", "tsan", "fuzz"]))

    def test_nothing_is_made_up(self):
        said = did_you_mean.message("qqq", ["asan", "fuzz"])
        self.assertNotIn("did you mean", said)
        self.assertIn("Targets: asan, fuzz", said)


if __name__ == "__main__":
    unittest.main()
