"""Shows tools/check_layers.py failing on arrows that point up, and passing on those that point down."""
import unittest

import check_layers
import sample


class Layers(unittest.TestCase):
    def test_an_arrow_down_is_fine(self):
        with sample.tree({"src/routing/a.cc": '#include "base/clock.h"\n#include "routing/b.h"\n'}) as top:
            self.assertEqual(check_layers.problems(top), [])

    def test_an_arrow_up_is_named_with_its_line(self):
        with sample.tree({"src/routing/a.h": '#include <vector>\n#include "net/types.h"\n'}) as top:
            self.assertEqual(check_layers.problems(top),
                             ["src/routing/a.h:2: routing must not include net (net/types.h)"])

    def test_an_include_that_is_not_rooted_at_src_fails(self):
        with sample.tree({"src/base/a.h": '#include "clock.h"\n', "src/base/b.h": '#include "../net/x.h"\n'}) as top:
            self.assertEqual(len(check_layers.problems(top)), 2)

    def test_a_folder_without_a_place_fails(self):
        with sample.tree({"src/utils/a.h": "\n"}) as top:
            self.assertIn("folder src/utils has no place", check_layers.problems(top)[0])

    def test_the_order_has_no_cycle(self):
        done = set()
        while len(done) < len(check_layers.ALLOWED):
            ready = {folder for folder, below in check_layers.ALLOWED.items() if below - {folder} <= done}
            self.assertTrue(ready - done, f"a cycle among {set(check_layers.ALLOWED) - done}")
            done |= ready


if __name__ == "__main__":
    unittest.main()
