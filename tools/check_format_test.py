"""Shows tools/check_format.py failing on a file that clang-format would change."""
import unittest

import check_format
import sample

STYLE = "BasedOnStyle: Google\nColumnLimit: 100\n"


class Format(unittest.TestCase):
    def problems(self, text):
        with sample.tree({".clang-format": STYLE, "src/a.cc": text}) as top:
            return check_format.problems([top / "src/a.cc"], top)

    def test_a_formatted_file_passes(self):
        self.assertEqual(self.problems("int a() { return 1; }\n"), [])

    def test_another_one_fails_at_its_first_difference(self):
        self.assertEqual(self.problems("int b;\nint  a( ) {return 1;}\n"),
                         ["src/a.cc:2: not formatted; tools/check_format.py --fix"])


if __name__ == "__main__":
    unittest.main()
