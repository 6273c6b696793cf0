"""Shows tools/check_words.py failing on each kind of forbidden word, and what it lets pass."""
import unittest

import check_words
import sample


def problems(text, name="a.md"):
    return check_words.problems_of(text, name)


class Words(unittest.TestCase):
    def test_each_kind_is_found(self):
        for text in ["// TO" "DO: later", "see /wo" "rk/main/x", "as in sha" "red/facts/x", "facts" "/cpp.md says",
                     "mended in #" "12", "this is is" "sue 7", "https://registry.npm" "js.org/x",
                     '"resolved": "https' '://host/x.tgz"']:
            self.assertEqual(len(problems(text)), 1, text)

    def test_what_may_be_said(self):
        for text in ["vllm-project/vllm#36829", "# 1 heading", "work/x", "a/work/b", "&#39;", "the todo list",
                     "shared state", "an issue with 3 parts", "http://127.0.0.1:8080/v1"]:
            self.assertEqual(problems(text), [], text)

    def test_numbers_in_data_files_are_data(self):
        self.assertEqual(problems('"color": "#' '123"', "a.json"), [])

    def test_the_place_is_named(self):
        with sample.tree({"src/a.cc": "int a;\n// FIX" "ME\n", "x.bin": "\0TO" "DO"}) as top:
            self.assertEqual(check_words.problems(top), ['src/a.cc:2: "FIX' 'ME": a note to oneself: do it or drop it'])


if __name__ == "__main__":
    unittest.main()
