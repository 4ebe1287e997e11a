"""JSON that was broken on purpose, documents of known shapes with one or two faults: how much is read as it was meant.

    PYTHONPATH=tests/support python -m wild.broken_json [--part train|held-out|all] [--by] [--bad N]

*Careful* is how an action's arguments are read, *likelier* what ``al.decode`` gives by itself. A third of the combinations of
faults and layout is held out, as in ``wild.measurement``.
"""

import argparse
import json
import random
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import actionledger as al
from wild.broken_documents import DOCUMENTS
from wild.measurement import PARTS, is_held_out

MANNERS = {"careful": al.DecodeOptions(), "likelier": al.DecodeOptions(likelier=True)}
OUTCOMES = ("exact", "wrong", "refused")

LAYOUTS = ("one line", "indented", "tight")
_SEPARATORS = {"one line": (", ", ": "), "indented": (",", ": "), "tight": (",", ":")}


class Token(NamedTuple):
    """One token: its kind is ``key``, ``text``, ``number``, ``literal``, ``space`` or the sign itself."""

    kind: str
    text: str
    depth: int = 0


class Broken(NamedTuple):
    """A text, and the value that it was written from."""

    combination: str  # its faults and its layout
    text: str  # what the model wrote
    meant: Any  # what it meant


Tokens = list[Token]
Breaker = Callable[[Tokens, random.Random], Tokens | None]


def tokens_of(value: Any, layout: str) -> Tokens:
    """Return a value's tokens, blanks included."""
    found: Tokens = []
    _write(value, layout, 0, found)
    return found


def _write(value: Any, layout: str, depth: int, out: Tokens) -> None:
    comma, colon = _SEPARATORS[layout]
    if not isinstance(value, dict | list) or not value:
        text = json.dumps(value, ensure_ascii=False)
        kind = {str: "text", bool: "literal", type(None): "literal"}.get(type(value), "number")
        out.append(Token("empty" if isinstance(value, dict | list) else kind, text, depth))
        return
    opens, closes = ("{", "}") if isinstance(value, dict) else ("[", "]")
    items = value.items() if isinstance(value, dict) else enumerate(value)
    out.append(Token(opens, opens, depth))
    for number, (key, item) in enumerate(items):
        if number:
            out.append(Token(",", ",", depth + 1))
        if layout == "indented":
            out.append(Token("space", "\n" + "  " * (depth + 1)))
        elif number and len(comma) > 1:
            out.append(Token("space", " "))
        if opens == "{":
            out.append(Token("key", json.dumps(key, ensure_ascii=False), depth + 1))
            out.append(Token(":", ":", depth + 1))
            if len(colon) > 1:
                out.append(Token("space", " "))
        _write(item, layout, depth + 1, out)
    if layout == "indented":
        out.append(Token("space", "\n" + "  " * depth))
    out.append(Token(closes, closes, depth))


def _pick(tokens: Tokens, rng: random.Random, accept: Callable[[int], bool]) -> int | None:
    places = [at for at in range(len(tokens)) if accept(at)]
    return rng.choice(places) if places else None


def _kinds(tokens: Tokens, *kinds: str) -> Callable[[int], bool]:
    return lambda at: tokens[at].kind in kinds


def _next(tokens: Tokens, at: int) -> str:
    """Return the kind of the next token that is no blank."""
    return next((each.kind for each in tokens[at + 1 :] if each.kind != "space"), "")


def _with(tokens: Tokens, at: int, text: str) -> Tokens:
    return [*tokens[:at], tokens[at]._replace(text=text), *tokens[at + 1 :]]


def _behind(tokens: Tokens, at: int, text: str) -> Tokens:
    return _with(tokens, at, tokens[at].text + text)


def _one(accept: Callable[[Tokens], Callable[[int], bool]], change: Callable[[str], str]) -> Breaker:
    """Return what changes one token that is accepted."""

    def broken(tokens: Tokens, rng: random.Random) -> Tokens | None:
        at = _pick(tokens, rng, lambda at: accept(tokens)(at) and change(tokens[at].text) != tokens[at].text)
        return None if at is None else _with(tokens, at, change(tokens[at].text))

    return broken


def _all(kinds: tuple[str, ...], change: Callable[[str], str]) -> Breaker:
    """Return what changes each token of some kinds."""

    def broken(tokens: Tokens, _: random.Random) -> Tokens | None:
        changed = [each._replace(text=change(each.text)) if each.kind in kinds else each for each in tokens]
        return changed if changed != tokens else None

    return broken


def _key(tokens: Tokens) -> Callable[[int], bool]:
    return _kinds(tokens, "key")


def _text(tokens: Tokens) -> Callable[[int], bool]:
    return _kinds(tokens, "text")


def _single(text: str) -> str:
    return (
        repr(json.loads(text))
        if "'" not in text or '\\"' in text
        else "'" + text[1:-1].replace("'", "\\'") + "'"
    )


def _bare(text: str) -> str:
    body = text[1:-1]
    return body if body.replace("_", "a").isalnum() and not body[0].isdigit() else text


def _python(text: str) -> str:
    return {"true": "True", "false": "False", "null": "None"}.get(text, text)


def _unescaped(text: str) -> str:
    return text if "\\\\" in text else text.replace("\\n", "\n").replace("\\t", "\t")


def _inner(text: str) -> str:
    return text[0] + text[1:-1].replace('\\"', '"') + text[-1]


def _fences_off(
    tokens: Tokens, rng: random.Random, kinds: str, remove: Callable[[int], bool]
) -> Tokens | None:
    at = _pick(tokens, rng, lambda at: tokens[at].kind in kinds and remove(at))
    return None if at is None else [*tokens[:at], *tokens[at + 1 :]]


def _lost_comma(tokens: Tokens, rng: random.Random) -> Tokens | None:
    at = _pick(tokens, rng, lambda at: tokens[at].kind == "," and tokens[at + 1].kind == "space")
    return None if at is None else [*tokens[:at], *tokens[at + 1 :]]


def _lost_colon(tokens: Tokens, rng: random.Random) -> Tokens | None:
    return _fences_off(tokens, rng, ":", lambda at: tokens[at + 1].kind == "space")


def _lost_closers(tokens: Tokens, rng: random.Random) -> Tokens | None:
    """Leave out the last closing brackets, at least one."""
    count = 0
    for each in reversed(tokens):
        if each.kind not in {"}", "]", "space"}:
            break
        count += each.kind != "space"
    left, kept = rng.randint(1, count), list(tokens)
    while left:
        left -= kept.pop().kind != "space"
    while kept and kept[-1].kind == "space":
        kept.pop()
    return kept


def _lost_inner_closer(tokens: Tokens, rng: random.Random) -> Tokens | None:
    """Leave out a closing bracket before a comma and a key of the container around it, on one line of its own or not."""
    found = _pick(
        tokens,
        rng,
        lambda at: tokens[at].kind in "}]" and tokens[at].depth > 0 and _next(tokens, at) in ("}", "]"),
    )
    return None if found is None else [*tokens[:found], *tokens[found + 1 :]]


def _doubled_closer(tokens: Tokens, rng: random.Random) -> Tokens | None:
    at = _pick(
        tokens, rng, lambda at: tokens[at].kind in "}]" and tokens[at].depth > 0 and _next(tokens, at) == ","
    )
    return None if at is None else _behind(tokens, at, tokens[at].text)


def _doubled_braces(tokens: Tokens, _: random.Random) -> Tokens | None:
    return [each._replace(text=each.text * 2) if each.kind in "{}" else each for each in tokens]


def _outer_doubled(tokens: Tokens, _: random.Random) -> Tokens | None:
    if tokens[0].kind != "{":
        return None
    return [tokens[0]._replace(text="{{"), *tokens[1:-1], tokens[-1]._replace(text="}}")]


def _last_doubled(tokens: Tokens, _: random.Random) -> Tokens | None:
    return _behind(tokens, len(tokens) - 1, tokens[-1].text)


def _trailing(tokens: Tokens, rng: random.Random) -> Tokens | None:
    at = _pick(
        tokens,
        rng,
        lambda at: (
            tokens[at].kind != "space" and _next(tokens, at) in ("}", "]") and tokens[at].kind not in "{["
        ),
    )
    return None if at is None else _behind(tokens, at, ",")


def _comment(write: Callable[[str], str]) -> Breaker:
    def broken(tokens: Tokens, rng: random.Random) -> Tokens | None:
        at = _pick(
            tokens,
            rng,
            lambda at: (
                tokens[at].kind == "," and tokens[at + 1].kind == "space" and "\n" in tokens[at + 1].text
            ),
        )
        return None if at is None else _behind(tokens, at, write(rng.choice(_REMARKS)))

    return broken


_REMARKS = (
    "see above",
    "the user's choice",
    "in seconds: 30",
    'not "auto"',
    "TODO, later",
    "path to it (optional)",
)


def _block_comment(tokens: Tokens, rng: random.Random) -> Tokens | None:
    at = _pick(tokens, rng, _kinds(tokens, ",", ":", "{", "["))
    return None if at is None else _behind(tokens, at, f" /* {rng.choice(_REMARKS)} */")


def _whole(change: Callable[[str], str]) -> Breaker:
    """Return what changes the whole text, behind which nothing else is changed."""

    def broken(tokens: Tokens, _: random.Random) -> Tokens | None:
        return [Token("all", change("".join(each.text for each in tokens)))]

    return broken


def _escaped_whole(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)[1:-1]


def _concatenated(text: str) -> str:
    body = text[1:-1]
    middle = len(body) // 2
    return text if "\\" in body or middle < 3 else f'"{body[:middle]}" + "{body[middle:]}"'


FAULTS: dict[str, Breaker] = {
    "key: no opening quote": _one(_key, lambda text: text[1:]),
    "key: no closing quote": _one(_key, lambda text: text[:-1]),
    "key: no quotes, one": _one(_key, _bare),
    "keys: no quotes": _all(("key",), _bare),
    "key: quotes twice": _one(_key, lambda text: f'"{text}"'),
    "text: no opening quote": _one(_text, lambda text: text[1:]),
    "text: no closing quote": _one(_text, lambda text: text[:-1]),
    "text: no quotes": _one(_text, _bare),
    "text: quotes twice": _one(_text, lambda text: f'"{text}"' if len(text) > 2 else text),
    "text: line breaks": _all(("text",), _unescaped),
    "text: inner quotes": _all(("text",), _inner),
    "text: inner quotes, one": _one(_text, _inner),
    "text: single backslashes": _all(("text",), lambda text: text.replace("\\\\", "\\")),
    "text: escaped single quote": _all(("text",), lambda text: text.replace("'", "\\'")),
    "text: triple quotes": _one(
        _text, lambda text: '""' + _inner(_unescaped(text)) + '""' if "\\\\" not in text else text
    ),
    "text: backticks": _one(_text, lambda text: f"`{text[1:-1]}`" if "`" not in text else text),
    "text: a sum": _one(_text, _concatenated),
    "single quotes": _all(("key", "text"), _single),
    "single quotes, keys": _all(("key",), _single),
    "single quotes, one text": _one(_text, _single),
    "smart quotes": _all(("key", "text"), lambda text: f"“{text[1:-1]}”" if "”" not in text else text),
    "smart quotes, one": _one(_text, lambda text: f"“{text[1:-1]}”" if "”" not in text else text),
    "smart quote, closing": _one(_text, lambda text: f"{text[:-1]}”" if "”" not in text else text),
    "Python's literals": _all(("literal",), _python),
    "Python's repr": _whole(lambda text: repr(json.loads(text))),
    "literal: other words": _all(
        ("literal",), lambda text: {"null": "undefined", "true": "TRUE", "false": "FALSE"}[text]
    ),
    "number: grouped": _all(("number",), lambda text: f"{int(text):_}" if text.isdigit() else text),
    "number: a plus": _one(
        lambda tokens: _kinds(tokens, "number"), lambda text: text if text[0] == "-" else f"+{text}"
    ),
    "number: no digit": _all(
        ("number",), lambda text: text.replace("0.", ".") if text.startswith("0.") else text
    ),
    "comma: none": _lost_comma,
    "comma: trailing": _trailing,
    "comma: twice": _one(lambda tokens: _kinds(tokens, ","), lambda text: ",,"),
    "comma: semicolon": _one(lambda tokens: _kinds(tokens, ","), lambda text: ";"),
    "comma: fullwidth": _all((",",), lambda text: "，"),
    "colon: none": _lost_colon,
    "colon: equals": _all((":",), lambda text: " ="),
    "colon: an arrow": _all((":",), lambda text: " =>"),
    "colon: twice": _one(lambda tokens: _kinds(tokens, ":"), lambda text: "::"),
    "colon: fullwidth": _all((":",), lambda text: "："),
    "closers: none": _lost_closers,
    "closer: one lost within": _lost_inner_closer,
    "closer: twice within": _doubled_closer,
    "closer: the last twice": _last_doubled,
    "braces: all twice": _doubled_braces,
    "braces: the outer twice": _outer_doubled,
    "comment: slashes": _comment(lambda words: f"  // {words}"),
    "comment: hash": _comment(lambda words: f"  # {words}"),
    "comment: block": _block_comment,
    "escaped as a text": _whole(_escaped_whole),
}

PAIRS = tuple(
    (first, second)
    for first in (
        "key: no quotes, one",
        "single quotes, keys",
        "comma: trailing",
        "Python's literals",
        "comma: none",
        "closers: none",
    )
    for second in (
        "text: line breaks",
        "text: inner quotes, one",
        "text: no closing quote",
        "comment: slashes",
        "comma: twice",
    )
)


def broken_texts(seed: int, each: int) -> Iterator[Broken]:
    """Yield broken texts: so many of each combination of faults and layout, as far as documents have what can be broken."""
    for faults in (*((name,) for name in FAULTS), *PAIRS):
        for layout in LAYOUTS:
            combination = f"{' + '.join(faults)} / {layout}"
            rng = random.Random(f"{seed} {combination}")
            yield from _of(faults, layout, combination, each, rng)


def _of(
    faults: tuple[str, ...], layout: str, combination: str, each: int, rng: random.Random
) -> Iterator[Broken]:
    documents = rng.sample(DOCUMENTS, len(DOCUMENTS))
    found = 0
    for document in documents:
        tokens: Tokens | None = tokens_of(document, layout)
        for name in faults:
            tokens = FAULTS[name](tokens, rng) if tokens else None
        if tokens is None:
            continue
        text = "".join(token.text for token in tokens)
        if _is_valid(text, document):
            continue
        yield Broken(combination, text, document)
        found += 1
        if found == each:
            return


def _is_valid(text: str, document: Any) -> bool:
    """Return whether a text is valid JSON, whatever it means: then nothing can know that it was broken."""
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def readings(part: str, seed: int, each: int, manner: str) -> Iterator[tuple[Broken, str]]:
    """Yield each broken text of a part with what comes of it in one of ``MANNERS``: one of ``OUTCOMES``."""
    for broken in broken_texts(seed, each):
        if part == "all" or (part == "held-out") == is_held_out(broken.combination):
            yield broken, _outcome(broken, manner)


def _outcome(broken: Broken, manner: str) -> str:
    decoded = al.decode(broken.text, options=MANNERS[manner], end=len(broken.text))
    is_doubted = manner == "careful" and bool(
        decoded.issues or decoded.cut or broken.text[decoded.end :].strip()
    )
    if not decoded.ok or is_doubted:
        return "refused"
    return "exact" if json.dumps(decoded.value) == json.dumps(broken.meant) else "wrong"


def main() -> int:
    """Measure, and print the table."""
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    reader.add_argument("--part", choices=PARTS, default="train")
    reader.add_argument("--each", type=int, default=4, help="how many texts of each combination")
    reader.add_argument("--seed", type=int, default=1)
    reader.add_argument("--by", action="store_true", help="a row for each fault")
    reader.add_argument(
        "--bad", type=int, default=0, help="print so many texts that are read otherwise than meant"
    )
    options = reader.parse_args()
    rows: dict[str, Counter[str]] = defaultdict(Counter)
    wrong = []
    for manner in MANNERS:
        for broken, found in readings(options.part, options.seed, options.each, manner):
            fault = broken.combination.partition(" / ")[0]
            rows[f"{manner}: {fault}" if options.by else manner][found] += 1
            if found == "wrong":
                wrong.append((manner, broken))
    print(f"{'':60}{'texts':>7}" + "".join(f"{each:>9}" for each in OUTCOMES))
    for name, row in rows.items():
        shares = "".join(f"{row[each] / row.total():>9.1%}" for each in OUTCOMES)
        print(f"{name:60}{row.total():>7}{shares}")
    for manner, broken in random.Random(options.seed).sample(wrong, min(options.bad, len(wrong))):
        print(
            f"\n=== {manner}, {broken.combination}\n{broken.text}\n--- {al.decode(broken.text, options=MANNERS[manner]).value}"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
