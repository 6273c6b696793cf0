"""OpenCode: speaks /v1/chat/completions, names its session in headers, and first asks for a title in the same session."""
import json

from agents import base


class OpenCode(base.Agent):
    name = "OpenCode"
    package = "opencode-ai"
    api = "/v1/chat/completions"
    identity = "session-affinity"

    def prepare(self):
        folder = self.home / ".config" / "opencode"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "opencode.json").write_text(json.dumps({
            "model": f"berth/{self.model}", "small_model": f"berth/{self.model}", "autoupdate": False,
            "share": "disabled", "enabled_providers": ["berth"], "permission": {"*": "allow"},
            "provider": {"berth": {
                "npm": "@ai-sdk/openai-compatible", "name": "Berth",
                "options": {"baseURL": f"{self.url}/v1", "apiKey": "test-key"},
                "models": {self.model: {"name": self.model, "limit": {"context": 200000, "output": 8192}}},
            }},
        }))

    def settings(self):
        off = ("AUTOUPDATE", "MODELS_FETCH", "LSP_DOWNLOAD", "DEFAULT_PLUGINS")
        # It fetches its plugin package in the background; this registry has nothing, and says so at once.
        nothing = {"npm_config_registry": "http://127.0.0.1:9/", "npm_config_fetch_retries": "0"}
        return {f"OPENCODE_DISABLE_{name}": "1" for name in off} | nothing

    def command(self, prompt, session, fork):
        # A prompt given as an argument is wrapped in quotes when it has a space; from standard input it is not.
        argv = [str(base.MODULES / self._package() / "bin" / "opencode"), "run", "--format", "json"]
        if session:
            argv += ["--session", session]
        if fork:
            argv += ["--fork"]
        return argv, prompt

    @staticmethod
    def _package():
        with open("/proc/cpuinfo", encoding="utf-8") as text:
            old = base.machine() == "x64" and " avx2" not in text.read()
        return f"opencode-linux-{base.machine()}" + ("-baseline" if old else "")

    def read_output(self, output):
        session = answer = ""
        for item in base.json_lines(output):
            session = item.get("sessionID", session)
            if item.get("type") == "text":
                answer = item["part"]["text"]
        return session, answer

    def shell(self, command):
        return {"tool": "bash", "args": {"command": command, "description": "run it"}}

    def read(self, name):
        return {"tool": "read", "args": {"filePath": str(self.work / name)}}
