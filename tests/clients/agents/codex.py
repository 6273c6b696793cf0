"""Codex: speaks /v1/responses, names its session and its thread in headers."""
from agents import base

CONFIG = """\
model = "{model}"
model_provider = "berth"
check_for_update_on_startup = false

[analytics]
enabled = false

[features]
plugins = false
apps = false

[model_providers.berth]
name = "Berth"
base_url = "{url}/v1"
wire_api = "responses"
env_key = "BERTH_TEST_KEY"
"""


class Codex(base.Agent):
    name = "Codex"
    package = "@openai/codex"
    api = "/v1/responses"
    identity = "codex-thread"

    def prepare(self):
        folder = self.home / ".codex"
        folder.mkdir(exist_ok=True)
        (folder / "config.toml").write_text(CONFIG.format(model=self.model, url=self.url))

    def settings(self):
        return {"CODEX_HOME": f"{self.home}/.codex", "BERTH_TEST_KEY": "test-key"}

    def command(self, prompt, session, fork):
        argv = [base.node(), str(base.MODULES / "@openai" / "codex" / "bin" / "codex.js"), "exec",
                "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", "--json"]
        if session:
            argv += ["resume", session]
        return argv + ["-"], prompt

    def read_output(self, output):
        session = answer = ""
        for item in base.json_lines(output):
            session = item.get("thread_id", session)
            if item.get("item", {}).get("type") == "agent_message":
                answer = item["item"]["text"]
        return session, answer

    def shell(self, command):
        return {"tool": "exec_command", "args": {"cmd": command}}

    def read(self, name):
        return self.shell(f"cat {name}")
