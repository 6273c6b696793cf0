"""Shows that the client tests' own witness works: what it sees, how it takes it apart, and which differences it finds."""
import datetime
import socket
import threading
import time
import types
import unittest

import exact
import observe
import tap
import wire

REQUEST = (b"POST /v1/messages?beta=true HTTP/1.1\r\nHost: a\r\nX-Two: 1\r\nx-two: 2\r\nContent-Length: 7\r\n\r\n"
           b'{"a":1}')
CHUNKED = (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nX-Own: v\r\n\r\n"
           b"4\r\nabcd\r\n3;ext=1\r\nefg\r\n0\r\n\r\n")


def connection(sent, answered):
    return tap.Connection([(1.0, sent)], [(2.0, answered)])


def exchange(request=REQUEST, response=CHUNKED):
    return wire.exchanges(connection(request, response))[0]


class Wire(unittest.TestCase):
    def test_a_request_and_its_chunked_response(self):
        one = exchange()
        self.assertEqual((one.method, one.target, one.path, one.status),
                         ("POST", "/v1/messages?beta=true", "/v1/messages", 200))
        self.assertEqual(one.request.headers[1:3], [("X-Two", "1"), ("x-two", "2")])
        self.assertEqual((one.request.body, one.response.body), (b'{"a":1}', b"abcdefg"))
        self.assertTrue(one.response.complete)

    def test_several_on_one_connection_in_odd_pieces(self):
        sent, answered = REQUEST * 3, CHUNKED * 3
        pieces = tap.Connection([(float(i), sent[i:i + 7]) for i in range(0, len(sent), 7)],
                                [(float(i), answered[i:i + 5]) for i in range(0, len(answered), 5)])
        found = wire.exchanges(pieces)
        self.assertEqual([one.response.body for one in found], [b"abcdefg"] * 3)
        self.assertLess(found[0].request.at, found[2].request.at)

    def test_heads_without_bodies_and_interim_responses(self):
        head = b"HEAD / HTTP/1.1\r\nHost: a\r\n\r\n" + REQUEST
        answers = (b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n" + CHUNKED)
        self.assertEqual([one.status for one in wire.exchanges(connection(head, answers))], [200, 200])

    def test_what_is_cut_short_says_so(self):
        self.assertFalse(exchange(response=CHUNKED[:-8]).response.complete)
        self.assertFalse(exchange(request=REQUEST[:-1]).request.complete)
        self.assertIsNone(exchange(response=b"").response)


class Observe(unittest.TestCase):
    def test_a_line_of_an_earlier_request_of_the_same_size_is_not_taken_for_this_one(self):
        def line(seconds_ago, conversation):
            at = datetime.datetime.fromtimestamp(time.time() - seconds_ago, datetime.timezone.utc)
            return {"time": at.isoformat(), "path": "/v1/messages", "bytes_in": 7, "conversation": conversation}

        began = time.monotonic() - 10
        client = tap.Connection([(began, REQUEST)], [(began + 1, CHUNKED)])
        gateway = types.SimpleNamespace(engines=[], model="a", records=lambda: [line(60, "old"), line(9.9, "new")])
        found = observe.requests(gateway, types.SimpleNamespace(connections=lambda: [client]))
        self.assertEqual([one.conversation for one in found], ["new"])


class Exact(unittest.TestCase):
    def differences(self, edits=(), request=REQUEST, response=CHUNKED):
        """What the engine got is `request`; what the client got is `response`."""
        client, engine = exchange(response=response), exchange(request=request)
        return exact.compare(client, engine, edits, alias="a", served="served").differences

    def test_the_same_is_exact_whatever_the_framing(self):
        plain = b"HTTP/1.1 200 OK\r\nContent-Length: 7\r\nX-Own: v\r\nx-berth-replica: r0\r\n\r\nabcdefg"
        other = REQUEST.replace(b"Host: a", b"Host: b").replace(b"X-Two", b"Connection: close\r\nX-Two")
        self.assertEqual(self.differences(response=plain, request=other), [])

    def test_every_part_is_compared(self):
        for part, old, new in [("path and query", b"?beta=true", b""), ("request headers", b"x-two: 2", b"X-Two: 2"),
                               ("request headers", b"x-two: 2\r\n", b""), ("request body", b'"a":1', b'"a":2')]:
            found = self.differences(request=REQUEST.replace(old, new))
            self.assertEqual([line.split(":")[0] for line in found], [part])
        for part, old, new in [("status", b"200", b"201"), ("response headers", b"X-Own", b"X-More"),
                               ("response body", b"abcd", b"abcx")]:
            found = self.differences(response=CHUNKED.replace(old, new))
            self.assertEqual([line.split(":")[0] for line in found], [part])

    def test_a_cut_response_is_a_difference(self):
        self.assertTrue(self.differences(response=CHUNKED[:-15]))

    def test_a_missing_last_chunk_is_one_unless_the_client_left(self):
        whole, cut = exchange(), exchange(response=CHUNKED[:-5])
        self.assertEqual(exact.compare(cut, whole).differences, ["one side's response was cut short"])
        cut.client_left = True
        self.assertEqual(exact.compare(cut, whole).differences, [])

    def test_an_added_header_passes_only_with_its_edit(self):
        added = REQUEST.replace(b"X-Two", b"x-data-parallel-rank: 1\r\nX-Two")
        self.assertEqual(len(self.differences(request=added)), 1)
        self.assertEqual(self.differences(["rank"], request=added), [])


class Undo(unittest.TestCase):
    SENT = b'{"messages":[{"content":"served \\"served\\""}],"model":"a","stream":true}'

    def test_the_model_is_put_back_at_its_place_only(self):
        got = self.SENT.replace(b'"a"', b'"served"')
        self.assertEqual(exact.undo(got, self.SENT, ["model"], "a", "served"), self.SENT)
        self.assertEqual(exact.undo(got, self.SENT, [], "a", "served"), got, "not undone when not logged")
        other = got.replace(b"true", b"True")
        self.assertEqual(exact.undo(other, self.SENT, ["model"], "a", "served"), other)

    def test_include_usage_is_taken_out(self):
        got = self.SENT[:-1] + b',"stream_options":{"include_usage":true}}'
        self.assertEqual(exact.undo(got, self.SENT, ["include_usage"], "", ""), self.SENT)
        front = b'{"stream_options":{"include_usage":true},' + self.SENT[1:]
        self.assertEqual(exact.undo(front, self.SENT, ["include_usage"], "", ""), self.SENT)
        more = self.SENT[:-1] + b',"stream_options":{"include_usage":true},"n":1}'
        self.assertEqual(exact.undo(more, self.SENT, ["include_usage"], "", ""), more)


class Passing(unittest.TestCase):
    def test_bytes_pass_both_ways_and_are_remembered(self):
        server = socket.create_server(("127.0.0.1", 0))

        def answer():
            end, _ = server.accept()
            with end:
                self.assertEqual(end.recv(5, socket.MSG_WAITALL), b"hello")
                end.sendall(b"world")

        thread = threading.Thread(target=answer)
        thread.start()
        witness = tap.Tap(server.getsockname()[1])
        with socket.create_connection(("127.0.0.1", witness.port)) as client:
            client.sendall(b"hello")
            got = b""
            while part := client.recv(100):
                got += part
        thread.join()
        witness.close()
        server.close()
        seen = witness.connections()[0]
        self.assertEqual(got, b"world")
        self.assertEqual(b"".join(data for _, data in seen.sent), b"hello")
        self.assertEqual(b"".join(data for _, data in seen.answered), b"world")
        self.assertEqual(seen.left_first, "answered")


if __name__ == "__main__":
    unittest.main()
