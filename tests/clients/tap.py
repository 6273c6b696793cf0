"""A witness between two programs: passes TCP bytes through unchanged and remembers every one of them.

Berth stands between two kinds of tap, one before each client and one before each engine, so what it is said to
have passed on is what these saw, not what it logs itself.
"""
import dataclasses
import socket
import threading
import time


@dataclasses.dataclass
class Connection:
    """The bytes of one TCP connection. Each piece is (seconds, bytes), in order."""
    sent: list = dataclasses.field(default_factory=list)      # by the one who connected
    answered: list = dataclasses.field(default_factory=list)  # by the one connected to
    left_first: str = ""  # whose stream ended first: "sent", "answered", or "" while both go on


class Tap:
    """Listens on a free loopback port and forwards each connection to 127.0.0.1:`target`."""

    def __init__(self, target):
        self._target = target
        self._lock = threading.Lock()
        self._connections = []
        self._open = set()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def connections(self):
        """A copy of what was seen so far."""
        with self._lock:
            return [Connection(list(c.sent), list(c.answered), c.left_first) for c in self._connections]

    def close(self):
        """Stops listening and cuts what is still open."""
        self._listener.close()
        with self._lock:
            still_open = list(self._open)
        for end in still_open:
            _shut(end)

    def _accept(self):
        while True:
            try:
                near, _ = self._listener.accept()
            except OSError:
                return
            try:
                far = socket.create_connection(("127.0.0.1", self._target), timeout=10)
            except OSError:
                near.close()
                continue
            far.settimeout(None)
            for end in (near, far):
                end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            seen = Connection()
            with self._lock:
                self._connections.append(seen)
                self._open |= {near, far}
            threading.Thread(target=self._pump, args=(near, far, seen, "sent"), daemon=True).start()
            threading.Thread(target=self._pump, args=(far, near, seen, "answered"), daemon=True).start()

    def _pump(self, source, sink, connection, side):
        pieces = getattr(connection, side)
        try:
            while data := source.recv(65536):
                with self._lock:
                    pieces.append((time.monotonic(), data))
                sink.sendall(data)
            with self._lock:
                connection.left_first = connection.left_first or side
            sink.shutdown(socket.SHUT_WR)
        except OSError:
            # One side is gone without a goodbye: so must be the other, or it would wait for ever.
            with self._lock:
                connection.left_first = connection.left_first or side
            _shut(source)
            _shut(sink)
        finally:
            with self._lock:
                self._open.discard(source)


def _shut(end):
    try:
        end.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass
