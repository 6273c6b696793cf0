"""The things every client test asserts. A Case gathers them; nothing stops at the first that fails."""
import dataclasses
import tempfile
import pathlib
import shutil

import observe
import tap
import wall
import wire


@dataclasses.dataclass
class Row:
    """One line of the table at the end."""
    case: str
    requests: int = 0
    conversations: int = 0
    outcomes: dict = dataclasses.field(default_factory=dict)
    places: int = 0
    exact: int = 0
    edits: set = dataclasses.field(default_factory=set)
    outside: list = dataclasses.field(default_factory=list)
    seconds: float = 0.0


class Case:
    """One agent, through one gateway, with a witness of its own. Use it in a `with`."""

    def __init__(self, agent, gateway, about):
        self.name = f"{agent.name}, {about}"
        self.gateway = gateway
        self.row = Row(self.name)
        self.passed = 0
        self.failures = []
        self._folder = pathlib.Path(tempfile.mkdtemp(prefix="berth-client-"))
        self._wall = wall.Wall()
        self.tap = tap.Tap(gateway.port)
        self.agent = agent(self._folder, self.tap.url, gateway.model, self._wall.url)

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        if isinstance(error, Exception):
            self.failures.append(f"{self.name}: {kind.__name__}: {error}")
        self.tap.close()
        self._wall.close()
        if self.failures:
            self._keep_bytes()
            self.failures.append(f"{self.name}: its folder is kept: {self._folder}")
        else:
            shutil.rmtree(self._folder, ignore_errors=True)
        return isinstance(error, Exception)

    def _keep_bytes(self):
        """Leaves every request body, as the client sent it, beside the agent's home."""
        for number, one in enumerate(wire.all_exchanges(self.tap)):
            (self._folder / f"request-{number:02}.json").write_bytes(one.request.body)

    def check(self, what, good, detail=""):
        """Counts one assertion."""
        if good:
            self.passed += 1
        else:
            self.failures.append(f"{self.name}: {what}: {detail}")

    def run(self, prompt, expected, session="", fork=False):
        """Runs the agent; it must end well and with the answer expected (None: any). Returns its session."""
        done = self.agent.run(prompt, session, fork)
        self.row.seconds += done.seconds
        detail = f"exit {done.status}, answered {done.answer!r}\n{done.output[-600:]}\n{done.errors[-600:]}"
        self.check("the agent ends well", done.status == 0, detail)
        if expected is not None:
            self.check("the agent heard the last answer", done.answer.strip() == expected, detail)
        return done.session

    def file_has(self, name, text):
        """The tools really ran: they left this text in this file."""
        path = self.agent.work / name
        found = path.read_text().strip() if path.exists() else "(no such file)"
        self.check(f"the tool wrote {name}", found == text, found)

    def requests(self):
        """What was seen of this case; counts the assertions that hold for every request of every case."""
        found = observe.requests(self.gateway, self.tap)
        for number, one in enumerate(found):
            self.check(f"request {number} is exact", not one.comparison.differences, one.comparison.differences)
            self.check(f"request {number} succeeded", one.client.status == 200, one.client.status)
            self.check(f"request {number} is in the log with the outcome the client was told",
                       one.record.get("outcome") == one.outcome != "", (one.record, one.outcome))
        named = {(one.replica, one.place) for one in found}
        replicas, places = {name for name, _ in named}, {place for _, place in named}
        self.check("a replica's name always means the same engine",
                   len(named) == len(replicas) == len(places), sorted(named))
        self.check("nothing but loopback was asked for", not self._wall.asked(), self._wall.asked())
        self._fill_row(found)
        return found

    def stays(self, turns, what="the conversation", home=None):
        """These turns are one conversation: the first placed it (or found it at `home`), all others went home."""
        outcomes = [one.outcome for one in turns]
        self.check(f"{what} has one name", len({one.conversation for one in turns}) == 1 and turns[0].conversation,
                   [one.conversation for one in turns])
        self.check(f"{what} is sticky in every later turn", outcomes[:1] in (["placed"], ["sticky"])
                   and set(outcomes[1:]) <= {"sticky"}, outcomes)
        expected = {turns[0].place if home is None else home}
        self.check(f"{what} stays on one replica", {one.place for one in turns} == expected,
                   [one.place for one in turns])

    def _fill_row(self, found):
        row = self.row
        row.requests = len(found)
        row.conversations = len({one.conversation for one in found if one.conversation})
        for one in found:
            row.outcomes[one.outcome] = row.outcomes.get(one.outcome, 0) + 1
            row.edits |= set(one.record.get("edits") or [])
        row.places = len({one.place for one in found})
        row.exact = sum(not one.comparison.differences for one in found)
        row.outside = self._wall.asked()
