"""What tools/sources.py takes for a comment or a string."""
import unittest

import sources


class Blank(unittest.TestCase):
    def check(self, text, expected):
        self.assertEqual(sources.blank(text), expected)

    def test_comments(self):
        self.check("a // b\nc", "a     \nc")
        self.check("a /* b\n */c", "a     \n   c")

    def test_strings_keep_their_quotes(self):
        self.check('f("a{b");', 'f("   ");')
        self.check(r'f("\"{");', 'f("   ");')
        self.check("f('{');", "f(' ');")

    def test_raw_strings(self):
        self.check('x = R"({"a": 1})"; {', 'x = R"' + " " * 10 + '"; {')
        self.check('x = R"j(a)" )j"; {', 'x = R"' + " " * 8 + '"; {')

    def test_digit_separators_are_no_characters(self):
        self.check("x = 1'000; {'}'", "x = 1'000; {' '")


if __name__ == "__main__":
    unittest.main()
