"""Qwen Code: speaks /v1/chat/completions and names no session at all; only the content tells its sessions apart."""
import json

from agents import base


class QwenCode(base.Agent):
    name = "Qwen Code"
    package = "@qwen-code/qwen-code"
    api = "/v1/chat/completions"
    identity = "content"

    def prepare(self):
        folder = self.home / ".qwen"
        folder.mkdir(exist_ok=True)
        (folder / "settings.json").write_text(json.dumps({
            "general": {"disableAutoUpdate": True, "disableUpdateNag": True, "enableAutoUpdate": False},
            "privacy": {"usageStatisticsEnabled": False}, "telemetry": {"enabled": False},
            "tools": {"useRipgrep": False},
        }))

    def settings(self):
        return {"OPENAI_BASE_URL": f"{self.url}/v1", "OPENAI_API_KEY": "test-key", "OPENAI_MODEL": self.model,
                "QWEN_CODE_SUPPRESS_YOLO_WARNING": "1"}

    def command(self, prompt, session, fork):
        argv = [base.node(), str(base.MODULES / "@qwen-code" / "qwen-code" / "cli-entry.js"), "--auth-type", "openai",
                "--yolo", "--output-format", "json"]
        if session:
            argv += ["--resume", session]
        return argv, prompt

    def read_output(self, output):
        start = output.find("[{")
        try:
            items = json.loads(output[start:]) if start >= 0 else []
        except ValueError:
            items = []
        session = next((item["session_id"] for item in items if "session_id" in item), "")
        answer = next((item.get("result", "") for item in reversed(items) if item.get("type") == "result"), "")
        return session, answer

    def shell(self, command):
        return {"tool": "run_shell_command", "args": {"command": command, "description": "run it",
                                                      "is_background": False}}

    def read(self, name):
        return {"tool": "read_file", "args": {"file_path": str(self.work / name)}}
