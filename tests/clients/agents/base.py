"""What the harness needs to know of a coding agent: how to run it headless, and what its tools are called."""
import dataclasses
import json
import os
import pathlib
import signal
import subprocess
import time

MODULES = pathlib.Path(__file__).resolve().parent.parent / "node_modules"
LIMIT_SECONDS = 300


@dataclasses.dataclass
class Run:
    """One finished run of an agent."""
    status: int      # exit status; -1 when it was ended after LIMIT_SECONDS
    output: str
    errors: str
    seconds: float
    session: str     # the agent's own name for the session, to continue it
    answer: str      # the last thing the agent said


def script(opener, steps):
    """A prompt whose replies are fixed: the simulated engine answers turn n with step n."""
    return f"{opener}\nberth-script: {json.dumps(steps)}"


def machine():
    """"x64" or "arm64", as npm names it."""
    return {"aarch64": "arm64", "arm64": "arm64"}.get(os.uname().machine, "x64")


def node():
    """The Node the agents run on: from the npm package of that name, because Debian 12's own is too old."""
    return str(MODULES / f"node-linux-{machine()}" / "bin" / "node")


class Agent:
    """One installed agent with a home and a folder of its own, pointed at one address."""
    name = ""
    package = ""
    api = ""

    def __init__(self, folder, url, model, wall):
        """`wall`: a proxy address where nothing gets through; everything but loopback must go there."""
        self.home = folder / "home"
        self.work = folder / "work"
        self.url = url
        self.model = model
        self.extra = {}  # more environment variables, set by a test
        self._wall = wall
        for part in (self.home, self.work):
            part.mkdir(parents=True, exist_ok=True)
        self.prepare()

    @classmethod
    def version(cls):
        """As pinned in package.json."""
        return json.loads((MODULES.parent / "package.json").read_text())["dependencies"][cls.package]

    def prepare(self):
        """Writes the agent's configuration into its home."""

    def settings(self):
        """Environment variables of this agent."""
        return {}

    def command(self, prompt, session, fork):
        """(argument list, text for standard input)."""
        raise NotImplementedError

    def read_output(self, output):
        """(session, answer) from what it printed."""
        raise NotImplementedError

    def shell(self, command):
        """A scripted step: run this in a shell."""
        raise NotImplementedError

    def read(self, name):
        """A scripted step: read this file of the work folder."""
        raise NotImplementedError

    def environment(self):
        """The agent's whole environment: nothing of the caller's gets in."""
        home = str(self.home)
        base = {
            "PATH": f"{pathlib.Path(node()).parent}:/usr/bin:/bin", "HOME": home, "LANG": "C.UTF-8", "CI": "1",
            "TMPDIR": home, "XDG_CONFIG_HOME": f"{home}/.config", "XDG_DATA_HOME": f"{home}/.local/share",
            "XDG_STATE_HOME": f"{home}/.local/state", "XDG_CACHE_HOME": f"{home}/.cache", "DO_NOT_TRACK": "1",
            "NO_PROXY": "127.0.0.1,localhost", "no_proxy": "127.0.0.1,localhost",
        }
        for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
            base[name] = base[name.lower()] = self._wall
        return base | self.settings() | self.extra

    def run(self, prompt, session="", fork=False):
        """Runs the agent once and waits for its end; it and what it started are ended when it takes too long."""
        argv, text = self.command(prompt, session, fork)
        started = time.monotonic()
        process = subprocess.Popen(argv, cwd=self.work, env=self.environment(), stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
        try:
            output, errors = process.communicate(text.encode(), timeout=LIMIT_SECONDS)
            status = process.returncode
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            output, errors = process.communicate()
            status = -1
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
        output, errors = output.decode(errors="replace"), errors.decode(errors="replace")
        found, answer = self.read_output(output)
        return Run(status, output, errors, time.monotonic() - started, found, answer)


def json_lines(output):
    """The JSON objects of an output that has one a line; other lines are skipped."""
    found = []
    for line in output.splitlines():
        if line.startswith("{"):
            try:
                found.append(json.loads(line))
            except ValueError:
                pass
    return found
