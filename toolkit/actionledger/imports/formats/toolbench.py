"""Answer trees of ToolBench (ToolLLaMA): ``NUMBER_MODEL_DFS_….json``.

Defined by ``toolbench/inference`` of github.com/OpenBMB/ToolBench (``Tree/Tree.py``, ``Downstream_tasks/rapidapi.py``). A search descends a tree of
nodes: a thought, an action, its input with the output. The path to the answer is the session, or without one the path to the last leaf. Every other
branch is a fork of it from where they part, so that each node counts once, and abandoned branches are separate.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from actionledger.core.canonical import JsonDict, JsonMap
from actionledger.core.errors import SourceError
from actionledger.core.ids import derived_id
from actionledger.core.patterns import regex
from actionledger.core.recordings import RecordedCall, RecordedResult, RecordedSession, RecordedTurn
from actionledger.core.vocabulary import Capture, LeftOutReason, Reason, Relation
from actionledger.imports.shapes.base import tools_text
from actionledger.imports.sources.access import count_at, non_empty, object_at, objects_at, text_at
from actionledger.imports.sources.base import Item, LeftOut, Refusal, Sample, Source
from actionledger.imports.sources.containers import OnRead, shown
from actionledger.imports.sources.json_values import json_document

_FIELDS = frozenset({"win", "tree", "answer_generation"})
_HEAD = regex(rb'\A\s*\{\s*"win"\s*:\s*(?:true|false)\s*,\s*"tree"\s*:')
_ANSWERED = 3
_CODES: dict[int, Reason] = {
    1: Reason.UNKNOWN_ACTION,
    2: Reason.SCHEMA_ERROR,
    5: Reason.TIMEOUT,
    6: Reason.NOT_FOUND,
    7: Reason.NOT_PERMITTED,
    8: Reason.NOT_PERMITTED,
    9: Reason.RATE_LIMIT,
    10: Reason.RATE_LIMIT,
    11: Reason.TOOL_ERROR,
    12: Reason.UNAVAILABLE,
}
"""The meaning of an observation's code, apart from 0 (success), 3 (the answer) and 4 (given up)."""


@dataclass(frozen=True, slots=True)
class _Node:
    """One node of the tree with its path: the child indexes that lead to it."""

    held: JsonMap
    place: tuple[int, ...]
    is_leaf: bool

    @property
    def kind(self) -> str:
        return text_at(self.held, "node_type")


def read(path: Path, on_read: OnRead | None = None) -> Iterator[Item]:
    """Yield the session of the path to the answer, then those of the abandoned branches."""
    try:
        whole = json_document(path, on_read)
    except SourceError as error:
        yield Refusal(shown(path), 0, str(error))
        return
    root = object_at(object_at(whole, "tree"), "tree") if isinstance(whole, dict) else {}
    if not root:
        yield Refusal(shown(path), 0, "The document is not an answer tree: it has no tree in its tree.")
        return
    yield from _sessions(whole, root, path)
    if copies := len(list(_lists(object_at(whole, "answer_generation"), "train_messages"))):
        yield LeftOut(shown(path), LeftOutReason.REPEATED_HISTORY, "train_messages", copies)


def recognise(sample: Sample) -> float:
    """Return the certainty that a sample is an answer tree."""
    first = next((value for value in sample.values if isinstance(value, dict)), None)
    return float(first.keys() >= _FIELDS if first is not None else bool(_HEAD.match(sample.head)))


def _sessions(whole: JsonMap, root: JsonMap, path: Path) -> Iterator[RecordedSession]:
    nodes = {node.place: node for node in _nodes(root)}
    leaves = [node for node in nodes.values() if node.is_leaf]
    answers = [node for node in leaves if count_at(node.held, "observation_code") == _ANSWERED]
    chosen = (answers or leaves)[-1]
    given = object_at(whole, "answer_generation")
    stem, query = path.name.split(".json")[0], text_at(given, "query")
    name = f"{stem}-{derived_id('toolbench', stem, query)[:8]}"
    win = whole.get("win")
    tools = tools_text([{"type": "function", "function": each} for each in objects_at(given, "function")])
    taken: set[tuple[int, ...]] = set()
    for leaf in (chosen, *(each for each in leaves if each is not chosen)):
        way = [nodes[leaf.place[:depth]] for depth in range(1, len(leaf.place) + 1)]
        turns = tuple(
            _turns(
                [node for node in way if node.place not in taken], query if leaf is chosen else None, tools
            )
        )
        taken.update(node.place for node in way)
        is_main = leaf is chosen
        yield RecordedSession(
            name if is_main else f"{name}/{'.'.join(map(str, leaf.place))}",
            None,
            "",
            query.strip().split("\n", 1)[0][:200],
            turns,
            win if is_main and isinstance(win, bool) else None,
            reason=text_at(given, "finish_type") if is_main else "abandoned",
            metadata=_metadata(given) if is_main else {},
            source=SOURCE.name,
            parent="" if is_main else name,
            relation=None if is_main else Relation.FORK,
            labels=() if is_main or leaf.held.get("pruned") is not True else ("pruned",),
        )


def _metadata(given: JsonMap) -> JsonDict:
    known = {key: count_at(given, key) for key in ("query_count", "total_tokens")}
    return non_empty(known)


def _nodes(root: JsonMap) -> Iterator[_Node]:
    """Yield each node, one branch after another; the root, which is not the model's, is a leaf if nothing follows."""
    waiting: list[tuple[JsonMap, tuple[int, ...]]] = [(root, ())]
    while waiting:
        held, place = waiting.pop()
        children = list(objects_at(held, "children"))
        yield _Node(held, place, not children)
        waiting.extend((child, (*place, number)) for number, child in reversed(list(enumerate(children))))


def _turns(nodes: list[_Node], query: str | None, tools: str) -> Iterator[RecordedTurn]:
    """Yield the responses of a path: thoughts, an action and its input are one."""
    open_nodes: list[_Node] = []
    for number, node in enumerate(nodes):
        open_nodes.append(node)
        is_last = number == len(nodes) - 1
        if (
            node.kind == "Action Input"
            or is_last
            or (node.kind == "Action" and nodes[number + 1].kind == "Thought")
        ):
            yield _turn(open_nodes, query, tools)
            open_nodes, query = [], None


def _turn(nodes: list[_Node], query: str | None, tools: str) -> RecordedTurn:
    thoughts = [text_at(node.held, "description") for node in nodes if node.kind == "Thought"]
    action = next((text_at(node.held, "description") for node in nodes if node.kind == "Action"), "")
    given = next((node for node in nodes if node.kind == "Action Input"), None)
    known = ".".join(map(str, nodes[0].place))
    calls: tuple[RecordedCall, ...] = ()
    results: tuple[RecordedResult, ...] = ()
    if action or given:
        written = text_at(given.held, "description") if given else ""
        calls = (RecordedCall(known, action, written),)
    if given:
        code = count_at(given.held, "observation_code") or 0
        results = (
            RecordedResult(
                known, given.held.get("observation"), is_error=code in _CODES, reason=_CODES.get(code)
            ),
        )
    return RecordedTurn(
        len(nodes[0].place) - 1,
        "\n\n".join(filter(None, thoughts)),
        prompt=query,
        external_id=known,
        capture=Capture.ARGUMENTS,
        calls=calls,
        results=results,
        tools=tools,
    )


def _lists(value: JsonMap, key: str) -> Iterator[list[Any]]:
    held = value.get(key)
    return (each for each in held if isinstance(each, list)) if isinstance(held, list) else iter(())


SOURCE = Source(
    "toolbench",
    "ToolBench",
    Capture.ARGUMENTS,
    read,
    recognise,
    patterns=("*_DFS_*.json", "*.json"),
    loses=(
        "The model, tokens and times of a response; in which order branches were tried, but for their places; answers without a tree "
        "(chains)."
    ),
    fields=("answer_generation", "tree", "win"),
)
