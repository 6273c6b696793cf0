"""What happened to the requests of one case: each as its client's tap saw it, as an engine's tap saw it, and as
Berth's access log tells it, brought together.
"""
import collections
import dataclasses
import datetime
import time

import exact
import fleet
import wire

# The access log tells whole milliseconds, the taps a steady clock.
LOG_TIME_SLACK_S = 0.002
CONVERSATION_PATHS = {"/v1/messages", "/v1/chat/completions", "/v1/responses", "/v1/messages/count_tokens"}


@dataclasses.dataclass
class Request:
    """One request of a conversation. `place`: (number of the engine, rank it was sent to or "") by the engine's tap."""
    client: wire.Exchange
    engine: wire.Exchange | None
    place: tuple
    record: dict      # the access log's line; empty when there is none
    comparison: exact.Comparison

    @property
    def outcome(self):
        """As the client was told."""
        return self.client.response.header("x-berth-outcome") if self.client.response else ""

    @property
    def replica(self):
        return self.client.response.header("x-berth-replica") if self.client.response else ""

    @property
    def conversation(self):
        return self.record.get("conversation") or ""


def requests(gateway, client_tap):
    """The requests a client made through its tap, in the order they began."""
    seen = [one for one in wire.all_exchanges(client_tap)
            if one.method == "POST" and one.path in CONVERSATION_PATHS]
    records = sorted(gateway.records(), key=_seconds)
    arrived = collections.defaultdict(list)  # (place, exchange) by path, each taken once
    for number, engine in enumerate(gateway.engines):
        for one in wire.all_exchanges(engine.tap):
            if one.method == "POST":
                place = (number, one.request.header("x-data-parallel-rank"))
                arrived[one.path].append((place, one))
    for found in arrived.values():
        found.sort(key=lambda item: item[1].request.at)
    return [_bring_together(one, gateway, records, arrived[one.path]) for one in seen]


def _bring_together(client, gateway, records, arrived):
    # A line of an earlier story may have the same path and size.
    began = client.request.at + time.time() - time.monotonic() - LOG_TIME_SLACK_S
    record = _take(records, lambda line: line.get("path") == client.path and _seconds(line) >= began
                   and line.get("bytes_in") == len(client.request.body)) or {}
    edits = record.get("edits") or []

    def is_it(item):
        engine = item[1]
        body = exact.undo(engine.request.body, client.request.body, edits, gateway.model, fleet.SERVED)
        return engine.request.at >= client.request.at and body == client.request.body

    place, engine = _take(arrived, is_it) or ((-1, ""), None)
    if engine is None:
        comparison = exact.Comparison(["no engine got this request"], "", "")
    else:
        comparison = exact.compare(client, engine, edits, gateway.model, fleet.SERVED)
    return Request(client, engine, place, record, comparison)


def _seconds(line):
    return datetime.datetime.fromisoformat(line["time"]).timestamp()


def _take(items, is_it):
    """Removes and returns the first item that is it; None when there is none."""
    for at, item in enumerate(items):
        if is_it(item):
            return items.pop(at)
    return None
