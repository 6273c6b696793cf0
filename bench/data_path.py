#!/usr/bin/env python3
"""Measures what the data path costs: Berth beside HAProxy with a stick-table, in the same run.

Both stand before the same two nginx upstreams that answer at once, so that what is measured is the proxy.
CPU microseconds a request (user + system time of the proxy's process over the run) is the figure to trust on a
shared machine; requests a second and latency depend on everything else that runs.

Example: data_path.py --berth build/release/berth --seconds 5 --rounds 3
"""
import argparse
import json
import os
import re
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request

TICKS = os.sysconf("SC_CLK_TCK")
STREAM = b"".join(b'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":'
                  b'{"type":"text_delta","text":"token number %06d of the reply"}}\n\n' % i for i in range(256))


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def wait_for(check, seconds=20):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            if check():
                return
        except OSError:
            pass
        time.sleep(0.05)
    sys.exit("a server did not come up")


def write(path, text):
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)
    return path


def nginx_config(folder, port):
    """An upstream that looks enough like vLLM for discovery and answers every POST at once."""
    stream = os.path.join(folder, "stream")
    os.makedirs(stream, exist_ok=True)
    with open(os.path.join(stream, "burst"), "wb") as f:
        f.write(STREAM)
    models = json.dumps({"object": "list", "data": [{"id": "m", "object": "model", "created": 1}]})
    reply = json.dumps({"id": "msg", "type": "message", "content": [{"type": "text", "text": "ok"}],
                        "usage": {"input_tokens": 8, "output_tokens": 3}})
    return write(os.path.join(folder, f"nginx-{port}.conf"), f"""
daemon off; master_process off; worker_processes 1; error_log stderr crit; pid {folder}/nginx-{port}.pid;
events {{ worker_connections 4096; }}
http {{
  access_log off; keepalive_requests 100000000; client_max_body_size 64m; client_body_buffer_size 1m;
  client_body_temp_path {folder}/body; proxy_temp_path {folder}/p; fastcgi_temp_path {folder}/f;
  uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s; default_type application/json;
  server {{
    listen 127.0.0.1:{port} backlog=4096;
    location = /v1/models {{ return 200 '{models}'; }}
    location = /health {{ return 200 '{{}}'; }}
    location = /metrics {{ return 200 'vllm:num_requests_running{{engine="0",model_name="m"}} 0\n'; }}
    location = /v1/messages {{
      if ($arg_kind = burst) {{ rewrite ^ /burst last; }}
      return 200 '{reply}';
    }}
    location = /burst {{ root {stream}; types {{ }} default_type text/event-stream; error_page 405 =200 /burst; }}
  }}
}}
""")


def haproxy_config(folder, port, upstreams):
    """What an operator would tune by hand: least connections for a new session, then stick to its server."""
    servers = "\n".join(f"  server s{i} 127.0.0.1:{p} maxconn 4096" for i, p in enumerate(upstreams))
    return write(os.path.join(folder, "haproxy.cfg"), f"""
global
  nbthread 1
  maxconn 8192
  tune.bufsize 131072
defaults
  mode http
  timeout connect 5s
  timeout client 75s
  timeout server 600s
  option http-no-delay
  http-reuse always
frontend f
  bind 127.0.0.1:{port}
  default_backend b
backend b
  balance leastconn
  stick-table type string len 64 size 200k expire 1h
  stick on req.hdr(x-claude-code-session-id)
{servers}
""")


def wrk_script(folder, size, kind):
    body = json.dumps({"model": "m", "max_tokens": 64, "stream": kind == "burst",
                       "messages": [{"role": "user", "content": "x" * size}]})
    return write(os.path.join(folder, f"{kind}-{size}.lua"), f"""
local body = {json.dumps(body)}
local n = 0
request = function()
  n = n + 1
  return wrk.format("POST", "/v1/messages?kind={kind}", {{["content-type"] = "application/json",
    ["x-claude-code-session-id"] = "session-" .. (n % 64)}}, body)
end
""")


def cpu_seconds(pid):
    with open(f"/proc/{pid}/stat", encoding="ascii") as f:
        fields = f.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def run_wrk(port, script, seconds, connections):
    out = subprocess.run(["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--latency", "-s", script,
                          f"http://127.0.0.1:{port}"], capture_output=True, text=True, check=True).stdout
    bad = re.search(r"Non-2xx or 3xx responses: (\d+)", out)
    if bad or "Socket errors" in out:
        sys.exit("the run met errors, its figures mean nothing:\n" + out)
    requests = int(re.search(r"(\d+) requests in", out).group(1))
    p99 = re.search(r"99%\s+(\S+)", out).group(1)
    return requests, p99


class Peers:
    """The processes of one run; ended by their ids."""

    def __init__(self):
        self.children = []
        self.ports = {}
        self.pids = {}

    def begin(self, berth, folder):
        ups = [free_port(), free_port()]
        for port in ups:
            self.start(["nginx", "-p", folder, "-c", nginx_config(folder, port)])
        self.ports = {"upstream alone": ups[0], "haproxy": free_port(), "berth": free_port()}
        self.pids["haproxy"] = self.start(["haproxy", "-q", "-f", haproxy_config(folder, self.ports["haproxy"], ups)])
        admin = free_port()
        config = write(os.path.join(folder, "berth.toml"), 'access_log = ""\nthreads = 1\n')
        self.pids["berth"] = self.start(
            [berth, "serve", "--config", config, "--listen", f"127.0.0.1:{self.ports['berth']}", "--admin",
             f"127.0.0.1:{admin}"] + [f"http://127.0.0.1:{p}" for p in ups])
        wait_for(lambda: urllib.request.urlopen(f"http://127.0.0.1:{admin}/readyz").status == 200)
        wait_for(lambda: socket.create_connection(("127.0.0.1", self.ports["haproxy"])).close() is None)

    def start(self, command):
        child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.children.append(child)
        return child.pid

    def end(self):
        for child in self.children:
            child.send_signal(signal.SIGTERM)
        for child in self.children:
            try:
                child.wait(timeout=5)
            except subprocess.TimeoutExpired:
                child.kill()


def measure(peers, folder, args):
    cases = [("1 KiB body", 1024, "plain", 32), ("60 KiB body", 60 * 1024, "plain", 32),
             ("256 events at once", 1024, "burst", 16)]
    print(f"{'case':20} {'proxy':15} {'CPU us/request':>15} {'ratio':>6} {'requests/s':>11} {'p99':>9}")
    for name, size, kind, connections in cases:
        script = wrk_script(folder, size, kind)
        figures = {}
        for _ in range(args.rounds):  # interleaved, so that a disturbance meets both
            for proxy, port in peers.ports.items():
                pid = peers.pids.get(proxy)
                before = cpu_seconds(pid) if pid else 0
                requests, p99 = run_wrk(port, script, args.seconds, connections)
                cpu = (cpu_seconds(pid) - before) / requests * 1e6 if pid else None
                figures.setdefault(proxy, []).append((cpu, requests / args.seconds, p99))
        base = min(f[0] for f in figures["haproxy"])
        for proxy, rows in figures.items():
            rate = statistics.median(r[1] for r in rows)
            cpu = min(r[0] for r in rows) if rows[0][0] is not None else None
            print(f"{name:20} {proxy:15} {f'{cpu:.1f}' if cpu else '-':>15} "
                  f"{f'{cpu / base:.2f}' if cpu else '-':>6} {rate:>11,.0f} {rows[-1][2]:>9}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--berth", default="build/release/berth")
    parser.add_argument("--seconds", type=int, default=4, help="a run (1 to 60)")
    parser.add_argument("--rounds", type=int, default=3, help="interleaved runs a case (1 to 20)")
    args = parser.parse_args()
    if not (1 <= args.seconds <= 60 and 1 <= args.rounds <= 20):
        parser.error("--seconds is 1 to 60, --rounds 1 to 20")
    if not os.access(args.berth, os.X_OK):
        sys.exit(f"{args.berth} is not there: build it with ./run --build-only")
    missing = [tool for tool in ("wrk", "haproxy", "nginx") if not shutil.which(tool)]
    if missing:
        sys.exit(f"needs {', '.join(missing)}: apt-get install wrk haproxy nginx-light")
    with tempfile.TemporaryDirectory(prefix="berth-bench-") as folder:
        peers = Peers()
        try:
            peers.begin(args.berth, folder)
            measure(peers, folder, args)
        finally:
            peers.end()


if __name__ == "__main__":
    main()
