"""The programs under test, each on a port of its own choosing, and whatever else is run."""
import re
import subprocess
import time
import urllib.error
import urllib.request

START_SECONDS = 30


class Failed(Exception):
    """A program did not come up, or ended badly."""


def output_of(argv):
    """Standard output of a command that ends by itself."""
    done = subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Failed(f"{argv[0]} ended with status {done.returncode}: {done.stderr.strip()}")
    return done.stdout


def answers(url):
    try:
        with urllib.request.urlopen(url, timeout=2):
            return True
    except (OSError, urllib.error.URLError):
        return False


class Programs:
    """A context: what it started is stopped at its end."""

    def __init__(self, folder):
        self._folder = folder
        self._running = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in reversed(self._running):
            process.terminate()
        for process in self._running:
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def _start(self, name, argv, patterns):
        """Starts it and waits until it has printed what the patterns look for; what they found."""
        log = self._folder / f"{name}.log"
        with open(log, "wb") as out:
            process = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT)
        self._running.append(process)
        until = time.monotonic() + START_SECONDS
        while time.monotonic() < until and process.poll() is None:
            text = log.read_text()
            found = [re.search(pattern, text) for pattern in patterns]
            if all(found):
                return [match.group(1) for match in found]
            time.sleep(0.02)
        raise Failed(f"{name} did not come up: {log.read_text()[-2000:]}")

    def engine(self, berth, model, ranks, scale):
        """URL of a simulated vLLM server."""
        argv = [berth, "engine", "--listen", "127.0.0.1:0", "--model", model, "--data-parallel-size", str(ranks),
                "--time-scale", str(scale)]
        return self._start("engine", argv, [r"on (http://[\d.:]+)"])[0]

    def gateway(self, berth, engine, affinity):
        """URL of a gateway in front of it. Without reuse of connections, as in the simulator: a connection stays with
        one of the server's API processes, whose balancers know nothing of each other."""
        config = self._folder / "berth.toml"
        config.write_text(f'listen = "127.0.0.1:0"\nadmin = "127.0.0.1:0"\naccess_log = ""\n'
                          f'[defaults]\naffinity = {str(affinity).lower()}\n'
                          f'[timeouts]\nupstream_pool_idle = "0s"\nscrape_every = "100ms"\n'
                          f'[[server]]\nurl = "{engine}"\n')
        url, admin = self._start("gateway", [berth, "serve", "--config", str(config)],
                                 [r"gateway on (http://[\d.:]+)", r"admin on (http://[\d.:]+)"])
        until = time.monotonic() + START_SECONDS
        while not answers(f"{admin}/readyz"):
            if time.monotonic() > until:
                raise Failed("the gateway found no replica")
            time.sleep(0.02)
        return url
