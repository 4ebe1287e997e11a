"""The four formats of JSON in a labelled markdown fence; they differ only in label and shape."""

from collections.abc import Sequence
from typing import Any, Literal

from actionledger.core.canonical import JsonDict
from actionledger.core.patterns import regex
from actionledger.core.vocabulary import Reason
from actionledger.reading.dialects.parts.json_blocks import OTHER_LABELS, JsonFence
from actionledger.reading.dialects.parts.json_values import BARE_LIST
from actionledger.reading.dialects.parts.truth import truth_of
from actionledger.reading.dialects.parts.writing import fenced, json_text
from actionledger.reading.scan.source import Source


class Actions(JsonFence):
    """```` ```actions ```` blocks: an object with a list of actions, each named by ``type``."""

    name: Literal["actions"] = "actions"
    source = "GemBrain, action parsing documentation, section 1: text-based actions"
    rules = (
        (
            'Write a fenced block labelled actions that holds one JSON object: {"actions": […]}. Each '
            'item of the list is an action: an object with its name as "type", beside its fields.'
        ),
        "A block may hold several actions, a response several blocks, and text may stand around them.",
    )
    example = '```actions\n{"actions": [{"type": "create_task", "content": "Review the plan"}]}\n```'
    label = "actions"
    near_labels = frozenset({"action", "actions:", "action:", "json-actions", "json_actions", "actions-json"})
    beginning = r'\{\s*+"actions"\s*+:\s*+\[\s*+\{'
    first_keys = "actions"
    discriminator = "type"
    shape = 'an object with a list "actions".'
    list_key = "actions"

    def objects(self, value: Any) -> list[Any] | Reason:
        """Return the list ``actions``."""
        actions = value.get("actions") if isinstance(value, dict) else None
        return actions if isinstance(actions, list) else Reason.WRONG_SHAPE

    def written(self, objects: list[JsonDict]) -> str:
        """Return the block with the list ``actions``."""
        return fenced("actions", json_text({"actions": objects}))


class Iteration(JsonFence):
    """```` ```iteration ```` blocks: a step of a loop, its actions in ``next_actions``, each named by ``type``."""

    name: Literal["iteration"] = "iteration"
    source = "GemBrain, action parsing documentation, section 3: iterative reasoning actions"
    rules = (
        (
            'Write a fenced block labelled iteration that holds one JSON object. Its "next_actions" is '
            'the list of what to do now: objects with the action\'s name as "type", beside its fields.'
        ),
        (
            'Beside it, "iteration", "reasoning", "observations" and "insights_gained" may hold the '
            "step's number and your thoughts."
        ),
        (
            "What comes of the actions is in the next message. The last step needs no actions: "
            '{"next_actions": [], "is_final": true}.'
        ),
    )
    example = (
        '```iteration\n{"iteration": 1, "reasoning": "A first look.", '
        '"next_actions": [{"type": "list_tasks"}], "is_final": false}\n```'
    )
    label = "iteration"
    near_labels = frozenset({"iterations", "iteration:", "json-iteration", "json_iteration"})
    beginning = r'\{\s*+"(?:iteration|next_actions)"\s*+:'
    first_keys = "iteration|next_actions"
    discriminator = "type"
    flags = ("is_final",)
    shape = 'an object with a list "next_actions", or with "is_final": true.'
    list_key = "next_actions"

    def objects(self, value: Any) -> list[Any] | Reason:
        """Return the list ``next_actions``; a final step may omit it."""
        if not isinstance(value, dict):
            return Reason.WRONG_SHAPE
        actions = value.get("next_actions")
        if actions is None and truth_of(value.get("is_final")):
            actions = []
        return actions if isinstance(actions, list) else Reason.WRONG_SHAPE

    def is_plain(self, names: Sequence[str], body: str, source: Source) -> bool:
        """Return whether an unlabelled block is a step: its list may be empty, but must exist."""
        return "next_actions" in body and (not names or super().is_plain(names, body, source))

    def written(self, objects: list[JsonDict]) -> str:
        """Return a step that is not the last one."""
        return fenced("iteration", json_text({"next_actions": objects, "is_final": False}))


class JsonAction(JsonFence):
    """```` ```json ```` blocks whose object, or each object of a list, is named by ``action``; other JSON is data."""

    name: Literal["json_action"] = "json_action"
    source = "Echelon, action parser validation: core functions and edge cases"
    rules = (
        (
            "Write a fenced block labelled json that holds one JSON object, or a list of objects: each "
            'with the action\'s name as "action", beside its fields.'
        ),
        (
            'A response may hold several blocks, and text may stand around them. JSON without "action" '
            "is taken for data."
        ),
    )
    example = '```json\n{"action": "update_plan", "plan": "Phase 1: sign-in"}\n```'
    label = "json"
    other_labels = OTHER_LABELS | {"action", "actions", "action:", "actions:", "json-action", "json_action"}
    beginning = r'(?:\[\s*+)?+\{\s*+"action"\s*+:\s*+"'
    first_keys = "action"
    plain_name = regex(r"[a-z][a-z0-9]*(?:[_-][a-z0-9]+)+")
    discriminator = "action"
    telling_key = "action"
    shape = 'an object, or a list of objects, with "action".'

    @property
    def line_patterns(self) -> frozenset[str]:
        """An object, or a list of objects, at the start of a line."""
        return super().line_patterns | {BARE_LIST, rf"\[\s*+\{{\s*+(?:{self.first_keys})\s*+:"}

    @property
    def near_literals(self) -> frozenset[str]:
        """The beginning of an action, or of a list with one, in the middle of a line."""
        return frozenset({r'\{\s*+"action"\s*+:\s*+"', r'\[\s*+\{\s*+"action"\s*+:\s*+"'})

    def objects(self, value: Any) -> list[Any] | Reason:
        """Return the objects with the key ``action``; the others are data, unless that key is misspelt."""
        if type(value) is dict:
            return [value] if "action" in value else Reason.NOT_AN_ACTION
        items = [item for item in (value if isinstance(value, list) else [value]) if isinstance(item, dict)]
        named = [item for item in items if "action" in item]
        if not named or len(named) == len(items):
            return named or Reason.NOT_AN_ACTION
        from rapidfuzz.distance import OSA  # noqa: PLC0415 - slow to load, and rarely needed

        # Whether an object has a text under a key with one wrong sign, or two swapped ones.
        return [
            item
            for item in items
            if "action" in item
            or any(
                isinstance(item[each], str) and OSA.distance(each, "action", score_cutoff=1) == 1
                for each in item
            )
        ]

    def written(self, objects: list[JsonDict]) -> str:
        """Return the block with the object, or with a list of several."""
        return fenced("json", json_text(objects if len(objects) > 1 else objects[0]))


class Plan(JsonFence):
    """```` ```json ```` blocks with a sequence of planned actions, each named by ``action``."""

    name: Literal["plan"] = "plan"
    source = "Action-based architecture design, section 5: action planning (ActionSequence)"
    rules = (
        (
            'Write a fenced block labelled json that holds one JSON object. Its "actions" is the list '
            'of what to do, in order: objects with the action\'s name as "action", beside its fields.'
        ),
        'Beside it, "reasoning" may say why you chose these, and "can_extend" whether others may follow.',
    )
    example = (
        '```json\n{"actions": [{"action": "think", "context": "What the user feels"}], '
        '"can_extend": false, "reasoning": "They sound sad."}\n```'
    )
    label = "json"
    other_labels = OTHER_LABELS | {"action", "actions", "plan"}
    beginning = r'\{\s*+"actions"\s*+:\s*+\[\s*+\{\s*+"action"\s*+:'
    first_keys = "actions"
    discriminator = "action"
    flags = ("can_extend",)
    shape = 'an object with a list "actions".'
    list_key = "actions"
    telling_key = "actions"

    def objects(self, value: Any) -> list[Any] | Reason:
        """Return the list ``actions``; an object without one is data."""
        if not isinstance(value, dict) or "actions" not in value:
            return Reason.NOT_AN_ACTION
        actions = value["actions"]
        return actions if isinstance(actions, list) else Reason.WRONG_SHAPE

    def written(self, objects: list[JsonDict]) -> str:
        """Return the block with the list ``actions``."""
        return fenced("json", json_text({"actions": objects}))
