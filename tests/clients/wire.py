"""Takes the bytes a tap saw apart into HTTP/1.1 requests and their responses, without changing any of them."""
import dataclasses
import re


class Malformed(Exception):
    """The bytes are not HTTP/1.1."""


@dataclasses.dataclass
class Message:
    """One request or response. `headers` keeps names, order and repeats as they came; `body` has no chunk framing."""
    start_line: str
    headers: list
    body: bytes
    at: float        # when its first byte passed
    complete: bool   # False: the connection ended inside it

    def header(self, name, default=""):
        return next((value for key, value in self.headers if key.lower() == name.lower()), default)


@dataclasses.dataclass
class Exchange:
    """A request and what was answered to it (None when nothing was)."""
    request: Message
    response: Message | None
    client_left: bool = False  # the one who asked closed the connection before the one who answers did

    @property
    def method(self):
        return self.request.start_line.split(" ")[0]

    @property
    def target(self):
        """Path and query."""
        return self.request.start_line.split(" ")[1]

    @property
    def path(self):
        return self.target.split("?")[0]

    @property
    def status(self):
        return int(self.response.start_line.split(" ")[1]) if self.response else 0


class _Reader:
    """One direction of a connection, with the time of every byte."""

    def __init__(self, pieces):
        self.data = b"".join(piece for _, piece in pieces)
        self._marks, total = [], 0
        for seconds, piece in pieces:
            self._marks.append((total, seconds))
            total += len(piece)
        self.at = 0

    def time(self):
        return next((seconds for start, seconds in reversed(self._marks) if start <= self.at), 0.0)

    def head(self):
        """(start line, headers), or None when no whole head is left."""
        end = self.data.find(b"\r\n\r\n", self.at)
        if end < 0:
            return None
        lines = self.data[self.at:end].decode("latin-1").split("\r\n")
        self.at = end + 4
        headers = []
        for line in lines[1:]:
            name, colon, value = line.partition(":")
            if not colon:
                raise Malformed(f"no colon in header line {line[:80]!r}")
            headers.append((name, value.strip(" \t")))
        return lines[0], headers

    def take(self, count):
        """(bytes, whether all were there)."""
        part = self.data[self.at:self.at + count]
        self.at += len(part)
        return part, len(part) == count

    def chunks(self):
        """(body, whether the last chunk was there)."""
        body = []
        while True:
            end = self.data.find(b"\r\n", self.at)
            if end < 0:
                return b"".join(body), False
            size_text = self.data[self.at:end].split(b";")[0].strip()
            if not re.fullmatch(rb"[0-9A-Fa-f]+", size_text):
                raise Malformed(f"chunk size {size_text[:20]!r}")
            self.at = end + 2
            size = int(size_text, 16)
            part, whole = self.take(size)
            body.append(part)
            _, ended = self.take(2)
            if not whole or not ended:
                return b"".join(body), False
            if size == 0:
                return b"".join(body), True


def _message(reader, has_body, until_close):
    started = reader.time()
    head = reader.head()
    if head is None:
        return None
    start_line, headers = head
    message = Message(start_line, headers, b"", started, True)
    if not has_body(start_line):
        return message
    if "chunked" in message.header("transfer-encoding").lower():
        message.body, message.complete = reader.chunks()
    elif message.header("content-length"):
        message.body, message.complete = reader.take(int(message.header("content-length")))
    elif until_close:
        message.body, _ = reader.take(len(reader.data))
    return message


def exchanges(connection):
    """The requests of one connection with their responses, in order."""
    requests, responses = _Reader(connection.sent), _Reader(connection.answered)
    found = []
    while (request := _message(requests, lambda line: True, until_close=False)) is not None:
        method = request.start_line.split(" ")[0]

        def has_body(line, method=method):
            code = line.split(" ")[1]
            return method != "HEAD" and code not in ("204", "304") and not code.startswith("1")

        response = _message(responses, has_body, until_close=True)
        while response and response.start_line.split(" ")[1].startswith("1"):
            response = _message(responses, has_body, until_close=True)
        found.append(Exchange(request, response, connection.left_first == "sent"))
    return found


def all_exchanges(tap):
    """Every exchange a tap saw, by the time its request began."""
    found = [exchange for connection in tap.connections() for exchange in exchanges(connection)]
    return sorted(found, key=lambda exchange: exchange.request.at)
