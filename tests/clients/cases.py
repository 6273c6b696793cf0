"""The client tests: one function a story, each a real agent through a real gateway."""
import http.client
import json

from agents.base import script
from agents.claude_code import ClaudeCode
from agents.codex import Codex
from agents.opencode import OpenCode
from agents.qwen_code import QwenCode
from checks import Case


def three_turns(agent, word):
    """A script with two tool calls and a last word: three turns."""
    return script(f"Please handle {word}.", [agent.shell(f"echo {word} > note.txt; cat note.txt"),
                                             agent.read("note.txt"), {"text": f"{word} is done"}])


def two_turns(agent, word):
    """A script with one tool call and a last word: two turns."""
    return script(f"And now {word}.", [agent.shell(f"echo {word} >> more.txt"), {"text": f"{word} is done"}])


def _identified(case, turns):
    case.check("the session was recognised by what this client sends",
               {one.record.get("identity") for one in turns} == {case.agent.identity},
               [one.record.get("identity") for one in turns])


def claude_code(gateway, about, hints=False):
    """A main conversation, two subagents at once, a fork, a resumed turn, a compaction, the turn after it, and the
    session forked under a new id."""
    with Case(ClaudeCode, gateway, about) as case:
        agent = case.agent
        if hints:  # off by default: headers that say what each request is for
            agent.extra["CLAUDE_CODE_GATEWAY_HINT_HEADERS"] = "1"
        subagents = [agent.subagent(word, script(f"Look at {word}.", [
            agent.shell(f"echo {word} > {word}.txt"), agent.read(f"{word}.txt"), {"text": f"{word} looked at"}]))
            for word in ("harbour", "lighthouse")]
        fork = agent.subagent("aside", script("Go on alone.", [agent.shell("echo aside > aside.txt"),
                                                               {"text": "aside done"}]), kind="fork")
        opening = script("Please begin.", [agent.shell("echo start > start.txt"), {"tools": subagents}, fork,
                                           agent.read("start.txt"), {"text": "all is done"}])
        session = case.run(opening, "all is done")
        case.run(two_turns(agent, "again"), "again is done", session)
        case.run("/compact", None, session)
        case.run(script("Go on.", [agent.shell("echo late > late.txt"), {"text": "late is done"}]),
                 "late is done", session)
        apart = case.run(script("Apart.", [{"text": "apart is done"}]), "apart is done", session, fork=True)
        for word in ("start", "harbour", "lighthouse", "aside", "late"):
            case.file_has(f"{word}.txt", word)

        found = case.requests()
        _identified(case, found)
        by_agent, forked_session = {}, []
        for one in found:
            if one.client.request.header("x-claude-code-session-id") == apart:
                forked_session.append(one)
            else:
                by_agent.setdefault(one.client.request.header("x-claude-code-agent-id"), []).append(one)
        main = by_agent.pop("", [])
        case.check("the main conversation has at least ten turns, compaction and all", len(main) >= 10, len(main))
        case.stays(main, "the main conversation")
        case.check("there are three subagents", len(by_agent) == 3, sorted(by_agent))
        for turns in by_agent.values():
            case.stays(turns, "a subagent's conversation")
            case.check("a subagent takes several turns", len(turns) >= 2, len(turns))
        case.check("every subagent is a conversation of its own",
                   len({one.conversation for one in found}) == 2 + len(by_agent),
                   sorted({one.conversation for one in found}))
        case.check("a session forked under a new id goes to the home of its history",
                   [one.place for one in forked_session] == [main[0].place], [one.place for one in forked_session])
        forked = [turns for turns in by_agent.values() if _is_fork(turns[0], main)]
        case.check("one of them is a fork", len(forked) == 1, len(forked))
        for turns in forked:
            case.check("the fork reads its parent's cache: it goes to the parent's home",
                       turns[0].place == main[0].place, (turns[0].place, main[0].place))
    return case


def _is_fork(one, main):
    """A fork's history begins with its parent's first message."""
    def first(request):
        content = json.loads(request.client.request.body)["messages"][0]["content"]
        return content if isinstance(content, str) else [block.get("text") for block in content]
    return first(one) == first(main[0])


def codex(gateway, about, rank_blind=False):
    """Three turns, then the session resumed. On ranks vLLM ignores the rank header there: unbound, and shown as such."""
    with Case(Codex, gateway, about) as case:
        session = case.run(three_turns(case.agent, "harbour"), "harbour is done")
        case.run(two_turns(case.agent, "again"), "again is done", session)
        case.file_has("note.txt", "harbour")
        case.file_has("more.txt", "again")
        found = case.requests()
        case.check("five turns", len(found) == 5, len(found))
        if rank_blind:
            case.check("every turn is unbound", {one.outcome for one in found} == {"unbound"},
                       [one.outcome for one in found])
            case.check("no rank header is sent", {one.place[1] for one in found} == {""}, [one.place for one in found])
        else:
            _identified(case, found)
            case.stays(found)
    return case


def opencode(gateway, about):
    """The title request comes first, with the same session id; then three turns, a resumed one, and a fork."""
    with Case(OpenCode, gateway, about) as case:
        session = case.run(three_turns(case.agent, "harbour"), "harbour is done")
        case.run(two_turns(case.agent, "again"), "again is done", session)
        forked = case.run(script("Apart.", [{"text": "apart is done"}]), "apart is done", session, fork=True)
        case.file_has("note.txt", "harbour")
        case.file_has("more.txt", "again")
        found = case.requests()
        titles = [one for one in found if b'"tools"' not in one.client.request.body]
        turns = [one for one in found if one not in titles and one.client.request.header("x-session-id") == session]
        rest = [one for one in found if one not in titles and one.client.request.header("x-session-id") == forked]
        case.check("one title request, in the session's name",
                   [one.client.request.header("x-session-id") for one in titles] == [session], len(titles))
        case.check("the title request binds nothing", {one.outcome for one in titles} == {"unbound"},
                   [one.outcome for one in titles])
        case.check("five turns and a forked one", (len(turns), len(rest)) == (5, 1), (len(turns), len(rest)))
        _identified(case, turns)
        case.stays(turns)
        case.check("the fork is a conversation of its own", rest and rest[0].conversation != turns[0].conversation,
                   "same conversation")
        case.check("the fork goes to the home of its history", rest and rest[0].place == turns[0].place,
                   (rest[0].place, turns[0].place) if rest else "")
    return case


def qwen_code(gateway, about):
    """No id at all: three turns and a resumed one are one conversation by their content."""
    with Case(QwenCode, gateway, about) as case:
        session = case.run(three_turns(case.agent, "harbour"), "harbour is done")
        case.run(two_turns(case.agent, "again"), "again is done", session)
        case.file_has("note.txt", "harbour")
        case.file_has("more.txt", "again")
        found = case.requests()
        case.check("at least five turns", len(found) >= 5, len(found))
        _identified(case, found)
        case.stays(found)
        _edited_history(case, found)
    return case


def _edited_history(case, found):
    """The client's own third turn again, with the last tool's result edited: same start, so it belongs at home."""
    body = json.loads(found[2].client.request.body)
    body["messages"][-1]["content"] = "edited"
    status, headers = _post(case.gateway.port, found[2].client, json.dumps(body))
    case.check("an edited history goes home", (status, headers.get("x-berth-replica")) == (200, found[0].replica),
               (status, headers, found[0].replica))


def _post(port, like, body):
    """Sends `body` with the headers of another request; (status, headers)."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    headers = {key: value for key, value in like.request.headers
               if key.lower() not in ("host", "content-length", "connection")}
    connection.request("POST", like.target, body.encode(), headers)
    answer = connection.getresponse()
    answer.read()
    connection.close()
    return answer.status, {key.lower(): value for key, value in answer.getheaders()}


def qwen_twins(gateway, about):
    """Two sessions with the same opener, word for word: told apart as soon as their histories differ."""
    with Case(QwenCode, gateway, about) as case:
        agent = case.agent
        # The tool's result is the first thing that differs between the two.
        prompt = script("Please say the time.", [agent.shell("date +%s%N"), agent.shell("date +%s%N"),
                                                 {"text": "time was said"}])
        first = case.run(prompt, "time was said")
        second = case.run(prompt, "time was said")
        case.run(two_turns(agent, "again"), "again is done", first)
        case.run(two_turns(agent, "again"), "again is done", second)
        found = case.requests()
        case.check("ten turns", len(found) == 10, len(found))
        openers = [one for one in found if _messages(one) == 2]
        case.check("both sessions open with the same bytes",
                   len(openers) == 2 and openers[0].client.request.body == openers[1].client.request.body, len(openers))
        ones = openers[:1] + [one for one in found if _result(one) == _result(found[1])]
        others = [one for one in found if one not in ones]
        case.check("five turns each", (len(ones), len(others)) == (5, 5), (len(ones), len(others)))
        case.stays(ones, "the first twin")
        case.stays(others, "the second twin")
        case.check("the twins are two conversations", ones[0].conversation != others[0].conversation,
                   ones[0].conversation)
    return case


def _messages(one):
    return len(json.loads(one.client.request.body)["messages"])


def _result(one):
    """The first tool result of a request's history."""
    messages = json.loads(one.client.request.body)["messages"]
    return next((json.dumps(message["content"]) for message in messages if message["role"] == "tool"), "")


def all_cases(gateways):
    """Every case as (name, function without arguments)."""
    edits, plain, ranks = gateways["edits"], gateways["plain"], gateways["ranks"]
    listed = [(f"{function.__name__}:{name}", lambda f=function, g=gateway, a=about: f(g, a))
              for name, gateway, about in (("edits", edits, "servers, edits on"), ("plain", plain, "servers, edits off"))
              for function in (claude_code, codex, opencode, qwen_code)]
    listed.append(("qwen_twins:edits", lambda: qwen_twins(edits, "two with one opener")))
    listed.append(("claude_code:ranks", lambda: claude_code(ranks, "four ranks", hints=True)))
    listed.append(("codex:ranks", lambda: codex(ranks, "four ranks", rank_blind=True)))
    return listed
