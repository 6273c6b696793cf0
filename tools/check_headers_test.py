"""Shows tools/check_headers.py failing on a header that leans on what was included before it."""
import json
import unittest

import check_headers
import sample

GOOD = "#pragma once\n#include <string>\ninline std::string a() { return {}; }\n"
BAD = "#pragma once\ninline std::string a() { return {}; }\n"


class Headers(unittest.TestCase):
    def problems(self, files):
        with sample.tree(files) as top:
            build = top / "build"
            build.mkdir()
            command = {"file": str(top / "src/a/a.cc"), "directory": str(build),
                       "command": f"g++-12 -std=c++20 -I{top}/src -o a.o -c {top}/src/a/a.cc"}
            (build / "compile_commands.json").write_text(json.dumps([command]))
            first = check_headers.problems(top, build)
            self.assertEqual(check_headers.problems(top, build), first, "the remembered result differs")
            return first

    def test_a_self_contained_header_passes(self):
        self.assertEqual(self.problems({"src/a/a.h": GOOD}), [])

    def test_a_header_that_lacks_an_include_fails(self):
        self.assertRegex(self.problems({"src/a/a.h": BAD})[0], r"^src/a/a\.h:1: does not compile alone: .*string")

    def test_a_header_included_first_by_its_own_file_is_left_to_the_build(self):
        self.assertEqual(self.problems({"src/a/a.h": BAD, "src/a/a.cc": '#include "a/a.h"\n'}), [])

    def test_a_header_included_second_by_its_own_file_is_not(self):
        files = {"src/a/a.h": BAD, "src/a/a.cc": '#include <string>\n#include "a/a.h"\n'}
        self.assertEqual(len(self.problems(files)), 1)

    def test_a_change_of_what_it_includes_is_noticed(self):
        with sample.tree({"src/a/a.h": '#pragma once\n#include "a/b.h"\ninline B b;\n',
                          "src/a/b.h": "#pragma once\nstruct B {};\n"}) as top:
            command = {"file": str(top / "src/a/a.cc"), "command": f"g++-12 -std=c++20 -I{top}/src -c {top}/src/a/a.cc"}
            (top / "compile_commands.json").write_text(json.dumps([command]))
            self.assertEqual(check_headers.problems(top, top), [])
            (top / "src/a/b.h").write_text("#pragma once\n")
            self.assertEqual(len(check_headers.problems(top, top)), 1)


if __name__ == "__main__":
    unittest.main()
