"""Texts that name offered tools in call position, and mean no call: nothing of them may be carried out."""

import random
from collections.abc import Callable
from dataclasses import dataclass

from wild.negative_data import DATA
from wild.negative_prose import COULD, DONE, EXAMPLES, FORBIDS, FORMATS, MENTIONS, NOTHING, REFUSES
from wild.questions import Call, Question
from wild.styles import as_json, fenced, json_call, json_object, python_call

Writer = Callable[[str, Question, random.Random], str]

LOOKS: dict[str, Callable[[Call], str]] = {
    "python": python_call,
    "python-list": lambda call: f"[{python_call(call)}]",
    "python-fence": lambda call: fenced(python_call(call), "python"),
    "tool-code-fence": lambda call: fenced(f"print({python_call(call)})", "tool_code"),
    "bare-fence": lambda call: fenced(python_call(call)),
    "json": json_call,
    "json-fence": lambda call: fenced(as_json(json_object(call), 2), "json"),
    "map": lambda call: as_json({call.name: call.arguments}),
    "hermes": lambda call: f"<tool_call>\n{json_call(call)}\n</tool_call>",
}


def look_of(name: str, call: Call) -> str:
    """Write a call so; data has a look of its own."""
    return LOOKS[name](call) if name in LOOKS else ""


IN_LINE = ("python", "json", "map")
FENCED = ("python-fence", "bare-fence", "json-fence")


@dataclass(frozen=True)
class Negative:
    """A way to show, quote or refuse a call."""

    name: str  # its own
    write: Writer  # makes the text of what a call looks like
    looks: tuple[str, ...] = tuple(LOOKS)  # how the call may be written in it


def _said(words: dict[str, tuple[str, ...]], kind: str, looks: tuple[str, ...]) -> list[Negative]:
    """Return a negative for each language: a sentence, then the call."""
    return [
        Negative(
            f"{kind}-{language}",
            lambda look, _, chance, sentences=sentences: f"{chance.choice(sentences)}\n\n{look}",
            looks,
        )
        for language, sentences in words.items()
    ]


def _within(words: dict[str, tuple[str, ...]], kind: str) -> list[Negative]:
    """Return a negative for each language: the call within a sentence, where ``…`` stands."""
    return [
        Negative(
            f"{kind}-{language}",
            lambda look, _, chance, sentences=sentences: chance.choice(sentences).replace("…", look),
            IN_LINE,
        )
        for language, sentences in words.items()
    ]


def _around(name: str, template: str, looks: tuple[str, ...] = tuple(LOOKS)) -> Negative:
    """Return a negative that puts the call where ``…`` stands, and then says that there is nothing to do."""
    return Negative(
        name, lambda look, _, chance: template.replace("…", look) + "\n\n" + chance.choice(NOTHING), looks
    )


def _per_line(name: str, mark: str) -> Negative:
    def write(look: str, question: Question, chance: random.Random) -> str:
        marked = "\n".join(mark + line for line in look.split("\n"))
        return f"This is what the log says of the last run.\n\n{marked}\n\n{chance.choice(NOTHING)}"

    return Negative(name, write)


def _code(template: str, label: str) -> Writer:
    """Return what writes code with the call, ``…``, and the last part of its name, ``@``."""

    def write(look: str, question: Question, chance: random.Random) -> str:
        last = question.calls[0].name.rpartition(".")[2]
        body = template.replace("@", last).replace("…", look)
        return f"This is how the script works.\n\n{fenced(body, label)}"

    return write


THOUGHTS = {
    "think": "<think>\n…\n</think>",
    "thinking": "<thinking>\n…\n</thinking>",
    "thought": "<thought>\n…\n</thought>",
    "reasoning": "<reasoning>\n…\n</reasoning>",
    "reflection": "<reflection>\n…\n</reflection>",
    "scratchpad": "<scratchpad>\n…\n</scratchpad>",
    "seed": "<seed:think>\n…\n</seed:think>",
    "bracket": "[THINK]\n…\n[/THINK]",
    "kimi": "◁think▷\n…\n◁/think▷",
    "cohere": "<|START_THINKING|>…<|END_THINKING|>",
    "begin": "<|begin_of_thought|>\n…\n<|end_of_thought|>",
    "unopened": "…\n</think>",
    "harmony": "<|channel|>analysis<|message|>…<|end|><|start|>assistant<|channel|>final<|message|>",
}

QUOTATIONS = {
    "tool-response": "<tool_response>\n…\n</tool_response>",
    "observation": "Observation: …",
    "function-results": "<function_results>\n…\n</function_results>",
    "tool-results": "[TOOL_RESULTS]…[/TOOL_RESULTS]",
    "comment": "<!-- … -->",
    "cdata": "<note><![CDATA[…]]></note>",
    "pre": "<pre>\n…\n</pre>",
    "code-tag": "<pre><code>…</code></pre>",
    "example-tag": "<example>\n…\n</example>",
}

CODE = {
    "defined": "def @(**fields):\n    return fields\n\n\n…",
    "imported": "from tools import @\n\n…",
    "imported-module": "import json\nimport tools\n\nprint(json.dumps(…))",
    "class": "class Client:\n    def run(self):\n        return …",
    "test": "def test_@():\n    assert … is not None",
    "loop": "for attempt in range(3):\n    …",
    "assigned-before": "limit = 3\nresult = …\nprint(result[:limit])",
    "try": "try:\n    …\nexcept ValueError:\n    pass",
    "condition": "if ready:\n    …",
}

DOCUMENTS = {
    "heading": "## Usage\n\n…\n\nReturns the result as an object. Raises `ValueError` where an argument is missing.",
    "readme": "# The client\n\nInstall it with `pip install client`, then use it:\n\n…\n\n## License\n\nMIT",
    "steps": "How it works:\n\n1. You ask a question.\n2. The assistant answers with a call:\n\n…\n\n3. The server runs it.",
}

LINES = {
    "table": "| call | meaning |\n| --- | --- |\n| `…` | what you asked for |\n| `help()` | this table |",
    "log": "```text\n2026-03-01 12:00:01 INFO … -> ok\n2026-03-01 12:00:02 INFO closed\n```",
    "diff": "```diff\n- …\n+ pass\n```",
    "shell": "```console\n>>> …\n{'status': 'ok'}\n```",
}

NEGATIVES: tuple[Negative, ...] = (
    *_said(EXAMPLES, "example", ("python", "python-list", *FENCED, "tool-code-fence", "json", "map")),
    *_said(FORMATS, "format", ("python", *FENCED, "json", "hermes")),
    *_said(FORBIDS, "forbidden", ("python", *FENCED, "json", "map", "hermes")),
    *_said(COULD, "could", ("python", "python-list", *FENCED, "json")),
    *_within(REFUSES, "refused"),
    *_within(MENTIONS, "mentioned"),
    *_within(DONE, "done"),
    *(_around(f"thought-{name}", template) for name, template in THOUGHTS.items()),
    *(_around(f"quoted-{name}", template) for name, template in QUOTATIONS.items()),
    _per_line("quoted-block", "> "),
    _per_line("indented-block", "    "),
    *(
        Negative(f"code-{name}-{label or 'bare'}", _code(template, label), ("python",))
        for name, template in CODE.items()
        for label in ("python", "py", "")
    ),
    *(
        Negative(
            f"document-{name}", lambda look, _q, _c, template=template: template.replace("…", look), FENCED
        )
        for name, template in DOCUMENTS.items()
    ),
    *(_around(f"line-{name}", template, ("python",)) for name, template in LINES.items()),
    *(
        Negative(
            f"{name}-{kind}", lambda _, question, chance, write=write: write(question, chance), ("data",)
        )
        for name, kinds in DATA.items()
        for kind, write in kinds.items()
    ),
)
