"""Write docs/dialects.md from the dialects themselves."""

from pathlib import Path

from actionledger.reading.dialects import DIALECTS, FAMILIES, Dialect

HERE = Path(__file__).parent
HEAD = """# Dialects

A dialect is how actions are written in text: a small frozen model in `parsing/dialects` that names its source and an example.
At the end of a text a call is whole without the marks that its dialect names here, each with who takes it away or reads without it; where
another one is missing, more of the call may have been to follow, and it waits for a person.
This page is made from them: `python docs/dialects.py` writes it anew. What each reads, repairs and refuses is in its cases, a
file each, in `tests/cases`.

A checkpoint may say itself how it writes: Hugging Face's transformers keep a `response_template` beside its tokenizer.
`al.response_template_parser(tokenizer.response_template)` makes a parser of it, for `al.parse(text, parser=…)`. The field `tool_calls` is read as
transformers 5.24 reads it; fields of thoughts hold thoughts, and what stands in another field that is opened is no call. Stricter than there: a key
twice, text between the arguments and a call that the end of the text cuts are refused or wait. What opens `tool_calls` has to begin with a literal
text. The older `response_schema`, which transformers drop, is refused.
"""

FAMILIES_HEAD = """
Some families of models write another one's format. Their names are taken for that one's wherever a dialect is asked for
by name; records and charts have the dialect's own.
"""


def page() -> str:
    """Return the page: the families, then each dialect's name, what it is, its source, example and count of cases."""
    return HEAD + _families() + "".join(_section(dialect) for dialect in DIALECTS)


def _families() -> str:
    """Return the table of the families that write another one's format."""
    rows = "".join(
        f"| `{name}` | {', '.join(f'[`{each}`](#{each})' for each in family.dialects)} | {family.source} |\n"
        for name, family in FAMILIES.items()
    )
    return f"{FAMILIES_HEAD}\n| family | dialects | source |\n|---|---|---|\n{rows}"


def _section(dialect: Dialect) -> str:
    folder = HERE.parent / "tests" / "cases" / dialect.name
    cases = len(list(folder.glob("*.toml")))
    summary = (type(dialect).__doc__ or "").strip().splitlines()[0].replace("``", "`")
    fence = "`````"
    closers = "".join(f" Whole without `` {key} ``: {who}." for key, who in dialect.optional_closers.items())
    return (
        f"\n## {dialect.name}\n\n{summary}\n\nSource: {dialect.source}. Cases: {cases}.{closers}\n\n"
        f"{fence}text\n{dialect.example}\n{fence}\n"
    )


if __name__ == "__main__":
    (HERE / "dialects.md").write_text(page(), encoding="utf-8")
