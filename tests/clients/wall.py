"""The proxy where nothing gets through: what an agent tries to reach outside this machine is refused and noted."""
import re
import socket
import threading


class Wall:
    """Listens on a free loopback port and answers every connection with 403."""

    def __init__(self):
        self._lock = threading.Lock()
        self._asked = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def asked(self):
        """The hosts asked for so far, each once, sorted."""
        with self._lock:
            return sorted(set(self._asked))

    def close(self):
        self._listener.close()

    def _accept(self):
        while True:
            try:
                end, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._refuse, args=(end,), daemon=True).start()

    def _refuse(self, end):
        with end:
            end.settimeout(5)
            try:
                line = end.recv(4096).split(b"\r\n")[0].decode("latin-1")
                found = re.match(r"[A-Z]+ (?:https?://)?([^/ ]+)", line)
                with self._lock:
                    self._asked.append(found.group(1) if found else line[:60])
                end.sendall(b"HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
            except OSError:
                pass
