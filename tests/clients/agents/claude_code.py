"""Claude Code: speaks /v1/messages, names its session and its subagents in headers."""
from agents import base


class ClaudeCode(base.Agent):
    name = "Claude Code"
    package = "@anthropic-ai/claude-code"
    api = "/v1/messages"
    identity = "claude-code"

    def settings(self):
        return {
            "ANTHROPIC_BASE_URL": self.url, "ANTHROPIC_AUTH_TOKEN": "test-key", "ANTHROPIC_MODEL": self.model,
            "ANTHROPIC_DEFAULT_HAIKU_MODEL": self.model, "DISABLE_AUTOUPDATER": "1", "DISABLE_TELEMETRY": "1",
            "DISABLE_ERROR_REPORTING": "1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "CLAUDE_CONFIG_DIR": f"{self.home}/.claude",
        }

    def command(self, prompt, session, fork):
        # Root may not skip permissions, so the tools the scripts use are allowed by name.
        argv = [str(base.MODULES / "@anthropic-ai" / f"claude-code-linux-{base.machine()}" / "claude"), "--print",
                "--output-format", "json", "--allowedTools", "Bash,Read,Agent"]
        if session:
            argv += ["--resume", session]
        if fork:
            argv += ["--fork-session"]
        return argv, prompt

    def read_output(self, output):
        result = next((item for item in base.json_lines(output) if item.get("type") == "result"), {})
        return result.get("session_id", ""), result.get("result", "")

    def shell(self, command):
        return {"tool": "Bash", "args": {"command": command, "description": "run it"}}

    def read(self, name):
        return {"tool": "Read", "args": {"file_path": str(self.work / name)}}

    def subagent(self, title, prompt, kind="general-purpose"):
        """A scripted call of the tool that starts a subagent; the main conversation waits for it."""
        return {"tool": "Agent", "args": {"description": title, "prompt": prompt, "subagent_type": kind,
                                          "run_in_background": False}}
