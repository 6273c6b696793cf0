"""Shows tools/check_sizes.py failing on files and functions that are too big."""
import unittest

import check_sizes
import sample


def function(name, lines):
    return f"int {name}(int x) {{\n" + "  x += 1;\n" * (lines - 2) + "}\n"


class Sizes(unittest.TestCase):
    def problems(self, files):
        with sample.tree(files) as top:
            return check_sizes.problems(top)

    def test_small_ones_pass(self):
        self.assertEqual(self.problems({"src/a/a.cc": "namespace a {\n" + function("f", 60) + "}\n"}), [])

    def test_a_long_function_is_named_with_its_line(self):
        text = "namespace a {\nclass B {\n public:\n" + function("f", 61) + "};\n}\n"
        self.assertEqual(self.problems({"src/a/a.cc": text}), ["src/a/a.cc:4: a function of 61 lines; at most 60"])

    def test_a_table_is_no_function_but_a_lambda_counts_with_its_function(self):
        table = "const int kTable[] = {\n" + "    1,\n" * 80 + "};\n"
        self.assertEqual(self.problems({"src/a/a.cc": table}), [])
        inner = "void f() {\n  auto g = [] {\n" + "    h();\n" * 60 + "  };\n}\n"
        self.assertEqual(len(self.problems({"src/a/a.cc": inner})), 1)

    def test_braces_in_strings_do_not_count(self):
        text = 'void f() {\n  g("{");\n}\n' + function("h", 10)
        self.assertEqual([n for _, n in check_sizes.functions(text)], [3, 10])

    def test_a_long_file_fails_in_any_language(self):
        self.assertEqual(self.problems({"tools/a.py": "x = 1\n" * 601}),
                         ["tools/a.py:1: 601 lines; at most 600: split it"])

    def test_the_median(self):
        big = "// " + "x" * 7000 + "\n"
        self.assertEqual(len(self.problems({"src/a/a.h": big, "src/a/b.h": big, "src/a/c.h": "\n"})), 1)
        self.assertEqual(self.problems({"src/a/a.h": big, "src/a/b.h": "\n", "src/a/c.h": "\n"}), [])


if __name__ == "__main__":
    unittest.main()
