"""Responses in the manner of small models, each with what was meant, and a model that follows what it is told to the letter.

The responses are ours: after the faults that recordings of small models show, one at a time, for each profile.
"""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

Calls = Sequence[tuple[str, Mapping[str, Any]]]


class Attempt(NamedTuple):
    """A response."""

    name: str  # what is wrong with it
    profile: str  # under which it was written
    text: str  # it
    # the actions that were meant, each with its arguments but for those that have their defaults
    meant: Calls


MILK: Calls = [("create_task", {"content": "Buy milk", "notes": "2 litres"})]
_MILK = '{"type": "create_task", "content": "Buy milk", "notes": "2 litres"}'

ASSISTANT = {
    "thinks aloud": f'<think>\nThey need milk. I could write {{"actions": []}}.\n</think>\n\n```actions\n{{"actions": [{_MILK}]}}\n```',
    "another label": f'Sure!\n```json\n{{"actions": [{_MILK}]}}\n```',
    "a call in Python": 'Sure!\n```python\ncreate_task(content="Buy milk", notes="2 litres")\n```',
    "renamed field": '```actions\n{"actions": [{"type": "create_task", "title": "Buy milk", "notes": "2 litres"}]}\n```',
    "renamed discriminator": '```actions\n{"actions": [{"action": "create_task", "content": "Buy milk", "notes": "2 litres"}]}\n```',
    "another dialect": '<tool_call>\n{"name": "create_task", "arguments": {"content": "Buy milk", "notes": "2 litres"}}\n</tool_call>',
    "a bare list": f"```actions\n[{_MILK}]\n```",
    "JSON5": "```actions\n{actions: [{type: 'create_task', content: 'Buy milk', notes: '2 litres',},],} // done\n```",
    "translated keys": '```actions\n{"actions": [{"type": "create_task", "inhalt": "Buy milk", "notizen": "2 litres"}]}\n```',
    "cut": '```actions\n{"actions": [{"type": "create_task", "content": "Buy milk", "notes": "2 lit',
    "doubled": f'```actions\n{{"actions": [{_MILK}]}}\n```\n\n```actions\n{{"actions": [{_MILK}]}}\n```',
}

TASKS: Calls = [("list_tasks", {"status": "pending"})]
_TASKS = '{"type": "list_tasks", "status": "pending"}'

ITERATIVE = {
    "thinks aloud": f'I should list them first.\n</think>\n```iteration\n{{"iteration": 1, "next_actions": [{_TASKS}], "is_final": false}}\n```',
    "another label": f'```json\n{{"iteration": 1, "reasoning": "Look.", "next_actions": [{_TASKS}], "is_final": false}}\n```',
    "the other mode's block": f'```actions\n{{"actions": [{_TASKS}]}}\n```',
    "renamed list": f'```iteration\n{{"iteration": 1, "actions": [{_TASKS}], "is_final": false}}\n```',
    "a bare list": f"```iteration\n[{_TASKS}]\n```",
    "a bare object": f"```iteration\n{_TASKS}\n```",
    "prose": "I will call list_tasks(status='pending') now to see what is open.",
    "nested arguments": '```iteration\n{"next_actions": [{"type": "list_tasks", "arguments": {"status": "pending"}}]}\n```',
    "a near name": '```iteration\n{"next_actions": [{"type": "list_task", "status": "pending"}], "is_final": false}\n```',
    "a wrong value": '```iteration\n{"next_actions": [{"type": "list_tasks", "status": "open"}], "is_final": false}\n```',
    "cut": '```iteration\n{"iteration": 1, "reasoning": "Look.", "next_actions": [{"type": "list_tasks", "status": "pend',
}

BRANCH: Calls = [("create_branch", {"branch_name": "search/accents"})]
_BRANCH = '{"action": "create_branch", "branch_name": "search/accents"}'

ORCHESTRATOR = {
    "thinks aloud": f"<think>A branch first.</think>```json\n{_BRANCH}\n```",
    "no label": f"Here it is.\n\n```\n{_BRANCH}\n```",
    "another label": f"```typescript\n{_BRANCH}\n```",
    "a list in an object": f'```json\n{{"actions": [{_BRANCH}]}}\n```',
    "renamed discriminator": '```json\n{"type": "create_branch", "branch_name": "search/accents"}\n```',
    "a name and arguments": '```json\n{"name": "create_branch", "arguments": {"branch_name": "search/accents"}}\n```',
    "renamed field": '```json\n{"action": "create_branch", "branchName": "search/accents"}\n```',
    "tags": "<create_branch>\n<branch_name>search/accents</branch_name>\n</create_branch>",
    "YAML": "```yaml\naction: create_branch\nbranch_name: search/accents\n```",
    "JSON5": "```json\n{\n  // a branch of its own\n  action: 'create_branch',\n  branch_name: 'search/accents',\n}\n```",
    "channels": f"<|channel|>analysis<|message|>A branch.<|end|><|start|>assistant<|channel|>final<|message|>```json\n{_BRANCH}\n```<|return|>",
}

GREET: Calls = [("create_file", {"path": "greet.py", "content": "def greet(a, b):\n    return a < b\n"})]
_PROGRAM = "def greet(a, b):\n    return a < b\n"
_WRITTEN = json.dumps(_PROGRAM)

CODER = {
    "thinks aloud": f"<think>\nI write <create_file> now.\n</think>\n<create_file>\n<path>greet.py</path>\n<content>\n{_PROGRAM}</content>\n</create_file>",
    "a renamed field": f"<create_file>\n<file_path>greet.py</file_path>\n<content>\n{_PROGRAM}</content>\n</create_file>",
    "a renamed tag": f"<write_file>\n<path>greet.py</path>\n<content>\n{_PROGRAM}</content>\n</write_file>",
    "tags in a fence": f"```xml\n<create_file>\n<path>greet.py</path>\n<content>\n{_PROGRAM}</content>\n</create_file>\n```",
    "CDATA": f"<create_file>\n<path>greet.py</path>\n<content><![CDATA[\n{_PROGRAM}]]></content>\n</create_file>",
    "escaped signs": f"<create_file>\n<path>greet.py</path>\n<content>\n{_PROGRAM.replace('<', '&lt;')}</content>\n</create_file>",
    "a list item": "1. The file:\n   <create_file>\n   <path>greet.py</path>\n   <content>\n   def greet(a, b):\n       return a < b\n   </content>\n   </create_file>",
    "JSON": f'```json\n{{"action": "create_file", "path": "greet.py", "content": {_WRITTEN}}}\n```',
    "another dialect": f'<tool_call>\n{{"name": "create_file", "arguments": {{"path": "greet.py", "content": {_WRITTEN}}}}}\n</tool_call>',
    "attributes": f'<create_file path="greet.py">\n{_PROGRAM}</create_file>',
    "a missing end": f"<create_file>\n<path>greet.py</path>\n<content>\n{_PROGRAM}</content>\n",
}

COMFORT: Calls = [("think", {"context": "Why they are sad."}), ("speak", {"context": "Comfort them."})]
_THINK = '{"action": "think", "context": "Why they are sad."}'
_SPEAK = '{"action": "speak", "context": "Comfort them."}'

REASONER = {
    "thinks aloud": f'<think>They are sad.</think>\n```json\n{{"actions": [{_THINK}, {_SPEAK}], "can_extend": false, "reasoning": "Sad."}}\n```',
    "a bare list": f"```json\n[{_THINK}, {_SPEAK}]\n```",
    "one object each": f"```json\n{_THINK}\n```\n\n```json\n{_SPEAK}\n```",
    "renamed discriminator": '```json\n{"actions": [{"type": "think", "context": "Why they are sad."}, {"type": "speak", "context": "Comfort them."}], "can_extend": false}\n```',
    "renamed field": '```json\n{"actions": [{"action": "think", "focus": "Why they are sad."}, {"action": "speak", "text": "Comfort them."}]}\n```',
    "renamed list": f'```json\n{{"plan": [{_THINK}, {_SPEAK}], "can_extend": false}}\n```',
    "capitals": '```json\n{"actions": [{"action": "THINK", "context": "Why they are sad."}, {"action": "SPEAK", "context": "Comfort them."}]}\n```',
    "no fence": f'{{"actions": [{_THINK}, {_SPEAK}], "can_extend": false, "reasoning": "Sad."}}',
    "another label": f'```actions\n{{"actions": [{_THINK}, {_SPEAK}]}}\n```',
    "a missing bracket": f'```json\n{{"actions": [{_THINK}, {_SPEAK}], "can_extend": false, "reasoning": "Sad."\n```',
    "calls in Python": '```python\nthink(context="Why they are sad.")\nspeak(context="Comfort them.")\n```',
}

ATTEMPTS = [
    Attempt(name, profile, text, meant)
    for profile, texts, meant in (
        ("assistant", ASSISTANT, MILK),
        ("assistant-iterative", ITERATIVE, TASKS),
        ("orchestrator", ORCHESTRATOR, BRANCH),
        ("coder", CODER, GREET),
        ("reasoner", REASONER, COMFORT),
    )
    for name, text in texts.items()
]

MEANT = {each.profile: each.meant for each in ATTEMPTS}
"""What each profile's model means to do."""

_SHOWN = re.compile(
    r"^[^\n]*(?:Write it so|A right one, for example):\n(?P<shown>.*?)(?=^(?:Action \d+ \(|Not read: |Note: |Iteration \d+ |What came|Put your|[^\n]*Write it so:)|\Z)",
    re.DOTALL | re.MULTILINE,
)
_LEFT_OPEN = re.compile(r'"(?P<key>\w+)": "…"|<(?P<tag>\w+)>(?P<before>\s*)…(?P<after>\s*)</(?P=tag)>')


def follow(feedback: str, meant: Calls) -> str:
    """Return what a model writes that does what it is told and no more: what it is shown, with its own values for ``…``."""
    values = {key: value for _, arguments in meant for key, value in arguments.items()}

    def filled(place: re.Match[str]) -> str:
        if key := place["key"]:
            return f'"{key}": {json.dumps(values[key])}' if key in values else place[0]
        value = values.get(place["tag"], "…")
        return f"<{place['tag']}>{place['before']}{value}{place['after']}</{place['tag']}>"

    return "\n\n".join(_LEFT_OPEN.sub(filled, shown["shown"].strip()) for shown in _SHOWN.finditer(feedback))
