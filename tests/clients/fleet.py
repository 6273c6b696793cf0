"""The programs under test: simulated vLLM servers (`berth engine`), each behind a tap, and gateways (`berth serve`)."""
import json
import pathlib
import socket
import subprocess
import time
import urllib.error
import urllib.request

import tap

SERVED = "sim-model"
ALIAS = "team-model"   # what clients ask for where edits are on, so that there is an edit to undo
START_SECONDS = 30
KV_TOKENS = 1_000_000  # room for the 32,000 output tokens that Claude Code and Qwen Code reserve
TIME_SCALE = 50


class NotStarted(Exception):
    """A program did not come up."""


def free_port():
    """A loopback port nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def get(url):
    """Body of a GET, or None when there is no good answer."""
    try:
        with urllib.request.urlopen(url, timeout=2) as answer:
            return answer.read()
    except (OSError, urllib.error.URLError):
        return None


class Program:
    """One running `berth` command; its output goes to a file."""
    started = []

    def __init__(self, name, argv, folder):
        Program.started.append(self)
        self.name = name
        self.log = folder / f"{name}.log"
        with open(self.log, "wb") as out:
            self._process = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT)

    def wait_for(self, url, good=lambda body: True):
        """Waits until `url` answers 200 with a body that is good."""
        until = time.monotonic() + START_SECONDS
        while time.monotonic() < until:
            if self._process.poll() is not None:
                break
            body = get(url)
            if body is not None and good(body):
                return
            time.sleep(0.05)
        raise NotStarted(f"{self.name} did not come up; the end of {self.log}:\n" + self.log.read_text()[-2000:])

    def stop(self):
        """SIGTERM, and SIGKILL if that is not enough. True when it ended by itself with status 0."""
        self._process.terminate()
        try:
            return self._process.wait(20) == 0
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
            return False

    @classmethod
    def stop_all(cls):
        """Ends whatever is still running; harmless for what has ended."""
        for program in cls.started:
            program.stop()


class Engine:
    """A simulated vLLM server and the tap the gateway reaches it through."""

    def __init__(self, berth, folder, number, ranks=1):
        port = free_port()
        argv = [berth, "engine", "--listen", f"127.0.0.1:{port}", "--model", SERVED, "--seed", str(number),
                "--kv-tokens", str(KV_TOKENS), "--time-scale", str(TIME_SCALE)]
        if ranks > 1:
            argv += ["--data-parallel-size", str(ranks)]
        self.program = Program(f"engine-{number}", argv, folder)
        self.program.wait_for(f"http://127.0.0.1:{port}/health")
        self.tap = tap.Tap(port)


class Gateway:
    """A `berth serve` in front of engines. `edits`: may it edit bodies; then clients ask for an alias."""

    def __init__(self, berth, folder, name, engines, edits, keep_alive="60s"):
        self.name = name
        self.model = ALIAS if edits else SERVED
        self.engines = engines
        self.access_log = folder / f"{name}.access.jsonl"
        self.port, self._admin = free_port(), free_port()
        config = folder / f"{name}.toml"
        config.write_text(self._config(edits))
        self.program = Program(name, [berth, "serve", "--config", str(config)], folder)
        self.program.wait_for(f"http://127.0.0.1:{self._admin}/readyz")

    def _config(self, edits):
        servers = "".join(f'\n[[server]]\nurl = "{engine.tap.url}"\n' for engine in self.engines)
        return (f'listen = "127.0.0.1:{self.port}"\nadmin = "127.0.0.1:{self._admin}"\n'
                f'access_log = "{self.access_log}"\nbody_edits = "{"on" if edits else "off"}"\n{servers}'
                f'\n[[model]]\nname = "{SERVED}"\naliases = ["{ALIAS}"]\n')

    def snapshot(self):
        """The admin API's view of models, replicas and bindings."""
        return json.loads(get(f"http://127.0.0.1:{self._admin}/api/snapshot") or b"{}")

    def records(self):
        """The access log so far, one dictionary a request."""
        if not self.access_log.exists():
            return []
        return [json.loads(line) for line in self.access_log.read_text().splitlines() if line.strip()]


def default_binary():
    """The release build."""
    return str(pathlib.Path(__file__).resolve().parents[2] / "build" / "release" / "berth")
