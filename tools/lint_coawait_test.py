"""Which temporaries tools/lint_coawait.py finds inside a co_await expression, and which it leaves alone."""
import unittest

import lint_coawait


def faults(body):
    text = "net::Task<void> f() {\n" + body + "\n}\n"
    return [line.split(": ", 1)[1].split(" in a co_await")[0] for line in lint_coawait.check_text(text, "a.cc")]


class Forbidden(unittest.TestCase):
    def test_a_capturing_lambda(self):
        self.assertEqual(faults("co_await run([x] { g(x); });"), ["a capturing lambda"])
        self.assertEqual(faults("co_await run(a, [&](int i) { return i; });"), ["a capturing lambda"])
        self.assertEqual(faults("co_await run([this, y = std::move(z)]() mutable { y(); });"), ["a capturing lambda"])

    def test_a_braced_value(self):
        self.assertEqual(faults("co_await send(Message{a, b});"), ["a braced value"])
        self.assertEqual(faults("auto r = co_await send({a, b});"), ["a braced value"])
        self.assertEqual(faults("Pair p{co_await left(), 1};"), ["a braced value"])
        self.assertEqual(faults("g(Pair{co_await left(), 1});"), ["a braced value"])

    def test_a_conditional(self):
        self.assertEqual(faults("co_await send(big ? name() : other());"), ["a ?:"])
        self.assertEqual(faults("auto x = ok ? co_await a() : b();"), ["a ?:"])

    def test_in_a_condition_and_in_a_return(self):
        self.assertEqual(faults("if (co_await send({a})) { g(); }"), ["a braced value"])
        self.assertEqual(faults("if (auto r = co_await send(p ? q() : s()); r) { g(); }"), ["a ?:"])
        self.assertEqual(faults("co_return co_await send({a});"), ["a braced value"])

    def test_over_several_lines_with_the_line_of_the_await(self):
        text = "f() {\n  co_await send(\n      Message{\n          a});\n}\n"
        self.assertEqual(lint_coawait.check_text(text, "a.cc"),
                         ["a.cc:2: a braced value in a co_await expression: name it on a line before"])


class Allowed(unittest.TestCase):
    def test_named_values_and_calls(self):
        self.assertEqual(faults("Message m{a, b};\nco_await send(std::move(m));"), [])
        self.assertEqual(faults("auto [ec, n] = co_await s.read(buffer(b), use_tuple);"), [])
        self.assertEqual(faults("auto& [ec, n] = co_await s.read(table[i], use_tuple);"), [])

    def test_an_empty_argument(self):
        self.assertEqual(faults("co_await reply(200, std::move(body), {});"), [])
        self.assertEqual(faults("co_await reply(200, Extra{});"), ["a braced value"])

    def test_a_lambda_without_captures(self):
        self.assertEqual(faults("co_await run([](int i) { return i ? 1 : 2; });"), [])

    def test_statements_around_the_await(self):
        self.assertEqual(faults("while (co_await next()) { x = {a}; y = p ? q : r; }"), [])
        self.assertEqual(faults("if (done) { co_await next(); } else { z = {1}; }"), [])
        self.assertEqual(faults("x = {1, 2};\nco_await next();\ny = p ? q : r;"), [])
        self.assertEqual(faults("auto g = [x] { return x; };\nco_await next(g);"), [])
        self.assertEqual(faults("for (auto& a : all) {\n  co_await a->stop();\n}"), [])
        self.assertEqual(faults("switch (k) { case 1: co_await next(); break; default: { h({1}); } }"), [])

    def test_strings_and_comments(self):
        self.assertEqual(faults('co_await send("{\\"a\\": 1}?");  // why? {because}'), [])


if __name__ == "__main__":
    unittest.main()
