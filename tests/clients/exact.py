"""Byte-exactness: is what the engine got what the client sent, and what the client got what the engine answered, but
for edits that are on Berth's closed list and that Berth named in its log?
"""
import dataclasses
import hashlib

# These belong to one connection and not to the message (RFC 9110 7.6.1), or name its peer or its length.
HOP_BY_HOP = {"connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade",
              "host", "content-length"}
OWN_RESPONSE_HEADERS = {"x-berth-replica", "x-berth-outcome", "x-berth-queue-ms", "x-berth-request-id"}
# Request headers that an edit may add or replace, by the edit's name in the log.
HEADERS_OF_EDIT = {"rank": {"x-data-parallel-rank"}, "credential": {"authorization", "x-api-key"}}


@dataclasses.dataclass
class Comparison:
    """What differs, in words; nothing when all is exact."""
    differences: list
    request_sha256: str   # of the client's body
    response_sha256: str  # of the body the client got


def end_to_end(message):
    """The headers that must arrive: same names, same values, same order, same repeats."""
    named = {word.strip().lower() for key, value in message.headers if key.lower() == "connection"
             for word in value.split(",")}
    return [(key, value) for key, value in message.headers if key.lower() not in HOP_BY_HOP | named]


def without(headers, names):
    """Those headers whose lower-case name is not among `names`."""
    return [(key, value) for key, value in headers if key.lower() not in names]


def undo_model(got, sent, alias, served):
    """`got` with the one model name put back that makes it `sent`; `got` itself when there is none."""
    new, old = f'"{served}"'.encode(), f'"{alias}"'.encode()
    at = got.find(new)
    while at >= 0:
        if got[:at] == sent[:at] and got[:at] + old + got[at + len(new):] == sent:
            return sent
        at = got.find(new, at + 1)
    return got


def undo_include_usage(got, sent):
    """`got` without the one inserted stream_options that makes it `sent`; `got` itself when there is none."""
    extra = len(got) - len(sent)
    same = next((i for i, (a, b) in enumerate(zip(got, sent)) if a != b), min(len(got), len(sent)))
    for at in range(same, max(-1, same - extra - 1), -1):
        inserted = got[at:at + extra]
        if got[:at] + got[at + extra:] == sent and inserted.strip(b", \n") == b'"stream_options":{"include_usage":true}':
            return sent
    return got


def undo(got, sent, edits, alias, served):
    """The engine's request body with every body edit of `edits` taken back."""
    if "model" in edits:
        got = undo_model(got, sent, alias, served)
    if "include_usage" in edits:
        got = undo_include_usage(got, sent)
    return got


def compare(client, engine, edits=(), alias="", served=""):
    """Compares an exchange as the client's tap saw it with the same one as the engine's tap saw it."""
    found = []

    def same(what, theirs, ours):
        if theirs != ours:
            if isinstance(theirs, list) and sorted(theirs) != sorted(ours):
                theirs, ours = [h for h in theirs if h not in ours], [h for h in ours if h not in theirs]
            found.append(f"{what}: {_short(theirs)} became {_short(ours)}")

    same("method", client.method, engine.method)
    same("path and query", client.target, engine.target)
    changed = set().union(*(HEADERS_OF_EDIT.get(edit, set()) for edit in edits))
    same("request headers", without(end_to_end(client.request), changed),
         without(end_to_end(engine.request), changed))
    body = undo(engine.request.body, client.request.body, edits, alias, served)
    same("request body", digest(client.request.body), digest(body))
    if client.response is None or engine.response is None:
        found.append("no response")
        return Comparison(found, digest(client.request.body), "")
    same("status", engine.status, client.status)
    same("response headers", end_to_end(engine.response),
         without(end_to_end(client.response), OWN_RESPONSE_HEADERS))
    same("response body", digest(engine.response.body), digest(client.response.body))
    # Some clients close when the last event is there and do not wait for the last chunk.
    if client.response.complete != engine.response.complete and not client.client_left:
        found.append("one side's response was cut short")
    return Comparison(found, digest(client.request.body), digest(client.response.body))


def digest(data):
    """SHA-256 in hex."""
    return hashlib.sha256(data).hexdigest()


def _short(value):
    text = str(value)
    return text if len(text) <= 300 else text[:300] + "..."
