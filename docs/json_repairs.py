"""Write docs/json_repairs.md from the table of faults itself."""

from pathlib import Path

from actionledger.core.vocabulary import SENTENCES
from actionledger.reading.tolerant_json.faults import FAULTS
from actionledger.reading.tolerant_json.notes import Fault, reason_for

HERE = Path(__file__).parent
HEAD = """# Broken JSON, and what is read

`actionledger.decode` reads JSON that a model wrote. What RFC 8259 allows is read as it stands; what plainly was meant is read with
a named repair, which has its place, what stood there and what it was read as: whoever makes all the repairs has the JSON of the
value. Where two readings are plausible, or the only one takes a guess, the likelier one is read, with an issue that names what is in
doubt (`Decoded.issues`); `DecodeOptions(likelier=False)`, which a parser of actions has, refuses the text. What is cut off, what
stands behind the value in a text that was said to end with it (`end=`), and a second value have an issue as well. Text around a
value is the business of `al.find_value`, several values that of `al.decode_all`. This page is made from the table that the readers
work from (`reading/tolerant_json/faults.py`): `python docs/json_repairs.py` writes it anew.

| repair | what is wrong | for instance | read as |
|---|---|---|---|
"""
TAIL = """
¹ This guesses at content: a text without quotes may be a variable, dots stand for what was left out, a word that
stands nowhere may have meant something. Reading such a value does no
harm, acting on it may: a parser of actions refuses it.

² Python writes it so: within a Python call, where calls are read (`DecodeOptions(calls=True)`), it is no repair.

A line break is shown as ⏎, a no-break space as ⍽. Which repairs are allowed is part of a decoder's options:

```python
import actionledger as al

careful = al.DecodeOptions(repairs={"trailing_comma"})
print(al.decode('{"a": 1,}', options=careful).value)
print(al.decode("{'a': 1}", options=careful).issues[0].code)
```

```text
{'a': 1}
quotes
```
"""
SHOWN = {"\n": "⏎", "\xa0": "⍽"}


def page() -> str:
    """Return the page: a row for each fault, with an example and what that is read as."""
    return HEAD + "".join(map(_row, FAULTS)) + TAIL


def _row(fault: Fault) -> str:
    marks = "¹" * fault.guesses + "²" * fault.is_python
    sentence = SENTENCES[reason_for(fault.kind)]
    return f"| `{fault.kind}`{marks} | {sentence} | {_code(fault.example)} | {_code(fault.meant)} |\n"


def _code(text: str) -> str:
    for character, shown in SHOWN.items():
        text = text.replace(character, shown)
    return f"`{text}`"


if __name__ == "__main__":
    (HERE / "json_repairs.md").write_text(page(), encoding="utf-8")
