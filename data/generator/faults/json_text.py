"""JSON that isn't quite JSON."""

import re

from generator.draw import NothingThereError, needed
from generator.faults.places import some_text
from generator.faults.unusual import escaped_fence
from generator.reply import Block, Reply
from generator.words import table

_STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')
_CLOSER = re.compile(r"(?<=[\w\"\]}])(?=\s*[\]}])")
_LINE_END = re.compile(r"(?<=[,\[{\w\"])$", re.MULTILINE)
_GAP = re.compile(r"(?<=,) ")
_TEXT = re.compile(r'"(content|notes|status|context|plan|body)": ')
_REMARKS = table("faults")["texts"]["remark"]


def raw_space(reply: Reply, of: str) -> None:
    """Write a line break or a tab in a string as it is; put one there first where there is none."""
    letter = {"\n": "n", "\t": "t"}[of]
    if not any(f"\\{letter}" in block.text for block in reply.blocks):
        action, field = some_text(reply)
        words = action[field].split(" ")
        if len(words) < 2:
            raise NothingThereError
        at = reply.draw.between(1, len(words) - 1)
        action[field] = f"{' '.join(words[:at])}{of}{' '.join(words[at:])}"
    _unescape(reply.blocks, letter, of)


def raw_nested_fence(reply: Reply) -> None:
    escaped_fence(reply)
    _unescape([block for block in reply.blocks if "\\n```" in block.text], "n", "\n")


def trailing_comma(reply: Reply) -> None:
    _insert(reply, _CLOSER, ",")


def comment(reply: Reply) -> None:
    remark = reply.draw.pick(_REMARKS)
    if "\n" in _last(reply).text:
        _insert(reply, _LINE_END, f"  // {remark}")
    else:
        _insert(reply, _GAP, f" /* {remark} */")


def missing_bracket(reply: Reply) -> None:
    block = _last(reply)
    block.body = re.sub(rf"(?:\s*[\]}}]){{1,{reply.draw.between(1, 2)}}}$", "", block.text)


def unescaped_quote(reply: Reply) -> None:
    action, field = some_text(reply)
    words = action[field].split(" ")
    at = reply.draw.between(0, len(words) - 1)
    words[at] = f'"{words[at]}"'
    action[field] = " ".join(words)
    _unescape(reply.blocks, '"', '"')


def duplicate_key(reply: Reply) -> None:
    block = _last(reply)
    place = reply.draw.pick(list(_TEXT.finditer(_masked(block.text))))
    before, key, after = block.text[: place.start()], place.group(), block.text[place.start() :]
    block.body = f'{before}{key}"{reply.draw.pick(_REMARKS)}", {after}'


def python_literals(reply: Reply) -> None:
    block = _last(reply)
    for action in block.actions:
        if reply.draw.chance(0.4) and "content" in action:
            action.setdefault("notes", None)
    block.body = repr(block.value)


def smart_quotes(reply: Reply) -> None:
    block = _last(reply)
    block.body = _STRING.sub(r"“\1”", block.text)


def text_after_value(reply: Reply) -> None:
    block = _last(reply)
    gap = reply.draw.pick(("\n", "\n\n", " "))
    block.body = f"{block.text}{gap}{reply.voice.line('closer')}"


def bare_list(reply: Reply) -> None:
    block = _last(reply)
    block.value = block.actions


def _last(reply: Reply) -> Block:
    """Return the last block that holds something."""
    return needed([block for block in reply.blocks if block.actions or block.label == "iteration"])[-1]


def _masked(text: str) -> str:
    """Return the text with the inside of its long strings blotted out, so that positions stay the same."""
    return _STRING.sub(lambda m: m.group() if len(m.group()) < 10 else f'"{"_" * len(m.group(1))}"', text)


def _unescape(blocks: list[Block], letter: str, instead: str) -> None:
    for block in blocks:
        block.body = re.sub(
            r"\\(.)", lambda pair: instead if pair.group(1) == letter else pair.group(), block.text
        )


def _insert(reply: Reply, where: re.Pattern[str], what: str) -> None:
    block = _last(reply)
    at = reply.draw.pick(list(where.finditer(_masked(block.text)))).start()
    block.body = f"{block.text[:at]}{what}{block.text[at:]}"
