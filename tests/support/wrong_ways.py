"""Ways in which a model writes an action that no format has, and texts that only name one."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

MEANT: Mapping[str, tuple[str, Mapping[str, str], str]] = {
    "assistant": ("create_memory", {"content": "Ben likes chess", "notes": "since May"}, "list_tasks"),
    "assistant-iterative": (
        "create_memory",
        {"content": "Ben likes chess", "notes": "since May"},
        "list_tasks",
    ),
    "orchestrator": ("request_info", {"question": "Which database", "context": "for search"}, "escalate"),
    "coder": ("move_file", {"path": "a.py", "target": "b.py"}, "read_file"),
    "reasoner": ("add_goal", {"context": "Learn French"}, "think"),
}
"""For each profile an action with its arguments, and another action's name."""


def ways(name: str, arguments: Mapping[str, Any]) -> Iterator[tuple[str, str, bool]]:
    """Yield each way by name, with its text, and whether all arguments are in it: else it is the first one alone."""
    whole = json.dumps(arguments)
    first = next(iter(arguments.values()))
    lines = [f"{key}: {value}" for key, value in arguments.items()]
    pairs = " ".join(f'{key}="{value}"' for key, value in arguments.items())
    below, indented = "\n".join(lines), "\n".join(f"  {line}" for line in lines)
    for key in ("type", "name", "action", "tool", "function", "command", "op", "Action"):
        yield f"YAML, {key}", f"```yaml\n{key}: {name}\n{below}\n```", True
    yield "YAML, a list", f"```yaml\n- type: {name}\n{indented}\n```", True
    yield (
        "YAML, a list in a key",
        f"```yaml\nactions:\n  - type: {name}\n  {indented.replace(chr(10), chr(10) + '  ')}\n```",
        True,
    )
    yield "YAML, arguments below", f"```yaml\nname: {name}\narguments:\n{indented}\n```", True
    yield "YAML, the name a key", f"```yaml\n{name}:\n{indented}\n```", True
    yield "YAML, a near name", f"```yaml\ntype: {name}s\n{below}\n```", True
    yield "YAML without a fence", f"type: {name}\n{below}", True
    yield (
        "TOML",
        f"```toml\n[{name}]\n"
        + "\n".join(f'{key} = "{value}"' for key, value in arguments.items())
        + "\n```",
        True,
    )
    yield "its label", f"```{name}\n{first}\n```", False
    yield "its label over JSON", f"```{name}\n{whole}\n```", True
    yield "its label over lines", f"I do it now:\n\n```{name}\n{below}\n```\n", True
    yield "its label with hyphens", f"```{name.replace('_', '-')}\n{below}\n```", True
    for sign in ("/", "@", "!", "#", "$ ", "-> ", "→ "):
        yield f"behind {sign!r}", f"{sign}{name} {first}", False
    yield "a slash and pairs", f"/{name} {pairs}", True
    yield "a slash behind a sentence", f"Sure, I'll do it.\n\n/{name} {first}", False
    yield "a slash on the next line", f"I'll do that now:\n/{name} {first}", False
    yield "a colon", f"{name}: {first}", False
    yield "a colon behind a word", f"Okay!\n\n{name}: {first}", False
    yield "a colon and JSON", f"{name}: {whole}", True
    yield "JSON on the next line", f"{name}\n{whole}", True
    yield "words and a colon", f"{name.replace('_', ' ').capitalize()}: {first}", False
    yield "brackets", f"[{name}] {first}", False
    yield "brackets around it", f"[{name}: {first}]", False
    yield "brackets and pairs", f"[{name} {pairs}]", True
    yield "two braces", f"{{{{{name} {pairs}}}}}", True
    yield "an arrow and a call", f"→ {name}({pairs.replace(chr(34) + ' ', chr(34) + ', ')})", True
    yield "bold", f"**{name}**: {first}", False
    yield "a heading", f"### {name}\n" + "\n".join(f"- {line}" for line in lines), True
    yield "an action in one line", f"Action: {name} {first}", False
    yield "an object in a sentence", f"Using the tool {name} with {whole}", True
    yield "an element for a name", f"<tool>{name}</tool>\n<args>{whole}</args>", True
    yield "options", f"{name} " + " ".join(f'--{key} "{value}"' for key, value in arguments.items()), True
    yield (
        "options in a shell",
        f"```bash\n{name} " + " ".join(f'--{key} "{value}"' for key, value in arguments.items()) + "\n```",
        True,
    )
    yield (
        "a translated key",
        f"```json\n{json.dumps({'acción': name, **arguments}, ensure_ascii=False)}\n```",
        True,
    )
    fields = "\n".join(f"<{key}>{value}</{key}>" for key, value in arguments.items())
    yield "a lost bracket", f"```markdown\n{name}\n{fields}\n</{name}>\n```", True
    held = {"result": {"calls": [{"action": name, **arguments}]}}
    yield "an object within others", f"```json\n{json.dumps(held)}\n```", True
    bold = "\n".join(f"- **{key}:** {value}" for key, value in arguments.items())
    yield "a list in bold", f"- **Action:** {name}\n{bold}", True
    said = " and ".join(f"{key} {value!r}" for key, value in arguments.items())
    yield "a sentence", f"Calling {name} with {said}.", True
    yield "a sentence behind another", f"Sure. I'll use the tool `{name}` with the {said}", True
    rule, row = "|---" * (1 + len(arguments)), " | ".join(arguments.values())
    yield "a table", f"| action | {' | '.join(arguments)} |\n{rule}|\n| {name} | {row} |", True
    values = ", ".join(map(json.dumps, arguments.values()))
    yield "a list in brackets", f"Action: {name}[{values}]", True
    yield "JSON in an attribute", f"<action name=\"{name}\" args='{whole}' />", True
    unclosed = "\n".join(f"<{key}>{value}" for key, value in arguments.items())
    yield "fields without an end", f"<{name}>\n{unclosed}\n</{name}>", True
    escaped = f"<{name}>\n{fields}\n</{name}>".replace("<", "&lt;").replace(">", "&gt;")
    yield "escaped tags", escaped, True
    yield "two calls", f"/{name} {first}\n/{name} {first}", False


def in_envelope(key: str, name: str, arguments: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the ways in which the object of an action is not the one that its profile asks for."""
    yield "another key for the name", {f"{key}Type": name, **arguments}
    yield "translated keys", {"aktion": name, **{f"das_{field}": value for field, value in arguments.items()}}
    yield "an object for a name", {key: {"name": name, "arguments": arguments}}
    yield "an object with a type", {key: {"type": name, "params": dict(arguments)}}
    yield "a list of values", {key: name, "arguments": [*arguments.values()]}
    pairs = [{"name": field, "value": value} for field, value in arguments.items()]
    yield "a list of pairs", {key: name, "parameters": pairs}
    typed = {field: {"type": "string", "value": value} for field, value in arguments.items()}
    yield "values beside their types", {key: name, **typed}


def mentions(name: str, field: str, other: str) -> Iterator[str]:
    """Yield texts that name actions, and mean none of them."""
    yield f"I can do these things:\n\n- {name}: makes something new\n- {other}: shows what there is\n\nWhat would you like?"
    yield f"I can do these things:\n\n- **{name}** — makes something new\n- **{other}** — shows what there is"
    yield f"The action `{name}` takes a field `{field}`."
    yield f"{name} takes one field, {field}. Shall I use it?"
    yield f"There are two actions.\n\n{name}: makes something new.\n{other}: shows what there is.\n\nTell me which one you want."
    yield f"To do it yourself, write:\n\n```\n{name}: something\n```\n\nShall I?"
    yield f"For example, you could type `/{name} something`."
    yield f"I have used {name} already; nothing more is to be done."
    yield f"Should I call {name}? Say yes or no."
    yield f"| action | meaning |\n|---|---|\n| {name} | makes something new |\n| {other} | shows what there is |"
    yield f"### {name}\n\nMakes something new.\n\n### {other}\n\nShows what there is."
    yield f"An action looks like this:\n\n```yaml\ntype: {name}\n{field}: something\n```\n\nI have not done anything yet."
    yield f"The log says:\n\n```\n[{name}] started\n[{name}] finished\n```"
    yield f"The file has\n\n```yaml\nname: {name}\ndescription: Makes something\nparameters:\n  {field}: string\n```"
    yield f"{name}:\n  docstring: makes something\n  signature: {name} <{field}>\n  arguments:\n    - {field} (string)"
    yield f"Ich kann {name} aufrufen, wenn du mir {field} nennst."
    yield f"Was ich kann:\n\n- {name}: legt etwas an\n- {other}: zeigt, was da ist"
    yield f"In Python this would be\n\n```python\nfunction = {name}\ndef {name}({field}):\n    return {field}\n```"
    yield f"1. {name}\n2. {other}\n\nWhich of the two?"
    yield f"My plan:\n1. {name} with what you told me\n2. {other} to check it\n\nIs that fine?"
    yield f"The commands are /{name} and /{other}."
    yield f"Usage: /{name} <{field}>"
    yield f"Please don't use {name}: it is deprecated."
