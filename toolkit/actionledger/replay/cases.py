"""Cases: TOML files, each with a response or provider's message and its expected parse; this project's own tests use the same form."""

import json
import os
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from actionledger.core.canonical import JsonDict, JsonMap
from actionledger.core.errors import SourceError, require_names, require_path, require_text
from actionledger.core.patterns import regex
from actionledger.core.privacy import mask_text
from actionledger.core.text import escaped_halves, writable
from actionledger.core.values import ParseResult
from actionledger.core.vocabulary import Outcome
from actionledger.ledger.queries.readings import RecordedReading
from actionledger.replay import expectations
from actionledger.replay.readers import Reader, reader_of

SUFFIX = ".case.toml"
"""Suffix of a case's file name in folders with other files."""

_EXPECT_TABLE = regex(r"(?m)^\[expect\]")


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class _Block(_Strict):
    status: str
    reason: str | None = None
    repairs: list[str] = []


class _Action(_Strict):
    name: str
    arguments: JsonDict | str
    status: str = "valid"
    errors: list[str] = []


class _Expectation(_Strict):
    outcome: str
    actions: list[_Action]
    blocks: list[_Block] = []
    issues: list[str] = []
    narrative: str = ""


class _Said(_Strict):
    expect: _Expectation
    why: str = ""
    parser: str = ""
    dialects: list[str] = []
    profile: str = ""
    tools: list[JsonDict] | str | None = None
    text: str | None = None
    json_text: str | None = None
    message: str | None = None
    origin: JsonDict = Field(default={}, alias="from")


_Value = TypeVar("_Value")
_Model = TypeVar("_Model", bound=BaseModel)
_EXPECTATION, _CASE = TypeAdapter(_Expectation), TypeAdapter(_Said)


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A response, how to parse it, and the expected result.

    Args:
        text: the exact response, or a provider's message as JSON text.
        is_message: whether it is a provider's message.
        reader: how to parse it.
        expect: the expected result: ``outcome``, ``actions`` and ``issues``, and optionally ``blocks`` and ``narrative``.
        why: the case's purpose, as a sentence.
        origin: the text's origin, such as its session and turn.

    Example:
        >>> case = al.Case.of("<execute>1 + 1</execute>", parser="mint", profile="mint", why="A tag.")
        >>> case.expect["outcome"], case.differences()
        ('clean', '')
        >>> al.Case.loads(case.dumps()).text
        '<execute>1 + 1</execute>'
    """

    text: str
    reader: Reader
    expect: JsonMap
    why: str = ""
    origin: JsonMap
    is_message: bool = False

    @classmethod
    def of(
        cls,
        text: str,
        *,
        is_message: bool = False,
        why: str = "",
        origin: JsonMap | None = None,
        parser: str = "",
        dialects: Sequence[str] = (),
        profile: str = "",
        tools: Sequence[JsonMap] | None = None,
    ) -> "Case":
        """Return a case that expects today's parse; secrets in the text are masked first.

        Args:
            text: the response, or a provider's message as JSON text.
            is_message: whether it is a provider's message, which needs no parser.
            why: the case's purpose.
            origin: the text's origin.
            parser: the parser's name.
            dialects: or the dialects to search for.
            profile: the profile whose catalogue to check actions against.
            tools: or the tools that were offered.

        Raises:
            UsageError: no way to parse is given, or two are; or the message is not JSON.
            UnknownNameError: a name is unknown.

        Example:
            >>> al.Case.of("Well.", profile="mint").expect["issues"]
            ['no_action_found']
            >>> message = '{"tool_calls": [{"function": {"name": "add", "arguments": "{}"}}]}'
            >>> al.Case.of(message, is_message=True).expect["actions"][0]["name"]
            'add'
        """
        require_text(text)
        require_names("dialects", dialects)
        reader = Reader(parser=parser, dialects=tuple(dialects), profile=profile, tools=tools)
        masked = mask_text(text)
        result = reader.read_message(masked) if is_message else reader.read(masked)
        return cls(
            text=masked,
            is_message=is_message,
            reader=reader,
            expect=expectations.described(result),
            why=why,
            origin=origin or {},
        )

    @property
    def is_acting(self) -> bool:
        """Whether it expects that the response meant to act.

        Example:
            >>> al.Case.of("<execute>1 + 1</execute>", profile="mint").is_acting
            True
        """
        outcome = self.expect["outcome"]
        return outcome in set(Outcome) and Outcome(outcome).has_intent

    def read(self) -> ParseResult:
        """Parse the text with today's code.

        Example:
            >>> str(al.Case.of("Well.", profile="mint").read().outcome)
            'failed'
        """
        return self.reader.read_message(self.text) if self.is_message else self.reader.read(self.text)

    def differences(self) -> str:
        r"""Return the line diff between the expected and today's parse; empty if they are equal.

        Example:
            >>> case = al.Case.loads('text = "Well."\nprofile = "mint"\n[expect]\noutcome = "no_action"\nactions = []')
            >>> print(case.differences())
            --- expected
            +++ read today
            @@ -1 +1,2 @@
            -outcome no_action
            +outcome failed
            +issue no_action_found
        """
        return expectations.difference(self.expect, expectations.described(self.read()))

    def accepted(self) -> "Case":
        r"""Return the case with today's parse as the expectation; parts that it didn't expect stay out.

        Example:
            >>> case = al.Case.loads('text = "Well."\nprofile = "mint"\n[expect]\noutcome = "no_action"\nactions = []')
            >>> case.accepted().expect["outcome"]
            'failed'
        """
        today = expectations.described(self.read())
        kept = {
            name: value
            for name, value in today.items()
            if name in self.expect or name in {"actions", "issues"}
        }
        return replace(self, expect=kept)

    def dumps(self) -> str:
        """Return the case as the text of its file.

        Example:
            >>> print(al.Case.of("Well.", profile="mint", why="No tag.").dumps().splitlines()[0])
            why = "No tag."
        """
        return "\n".join([*_head(self), "", expectations.expected_text(self.expect)])

    @classmethod
    def loads(cls, content: str, name: str = "the case") -> "Case":
        """Parse a case file's text.

        Args:
            content: the text.
            name: the file's name, for errors.

        Raises:
            SourceError: it is not a case: it is not TOML, has an unknown key, or lacks a required one.

        Example:
            >>> al.Case.loads(al.Case.of("Well.", profile="mint").dumps()).text
            'Well.'
        """
        try:
            value = tomllib.loads(content)
        except (ValueError, RecursionError) as error:
            raise SourceError(f"{name} is not TOML: {error}.") from error
        said = _checked(_CASE, value, name)
        given = [each for each in (said.text, said.json_text, said.message) if each is not None]
        if len(given) != 1:
            raise SourceError(f"{name} is not a case: it needs one of a text, a json_text and a message.")
        if said.message is not None and (said.parser or said.dialects):
            raise SourceError(
                f"{name} is not a case: a message is read by its interface, and not by a parser or dialects."
            )
        text = given[0] if said.json_text is None else _decoded(given[0], str, name, "json_text")
        tools = _decoded(said.tools, list, name, "tools") if isinstance(said.tools, str) else said.tools
        for index, action in enumerate(said.expect.actions):
            if isinstance(action.arguments, str):
                _decoded(action.arguments, object, name, f"expect.actions.{index}.arguments")
        reader = Reader(parser=said.parser, dialects=tuple(said.dialects), profile=said.profile, tools=tools)
        return cls(
            text=text,
            is_message=said.message is not None,
            reader=reader,
            expect=said.expect.model_dump(exclude_unset=True),
            why=said.why,
            origin=said.origin,
        )


def load_case(path: str | os.PathLike[str]) -> Case:
    """Load a case from a file.

    Args:
        path: the file.

    Raises:
        SourceError: it can't be read, or is not a case.

    Example:
        >>> from pathlib import Path
        >>> _ = Path("well.case.toml").write_text(al.Case.of("Well.", profile="mint").dumps())
        >>> al.load_case("well.case.toml").differences()
        ''
    """
    require_path("A case", path)
    try:
        content = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SourceError(f"The case {os.fspath(path)!r} can't be read: {error}.") from error
    return Case.loads(content, f"The case {os.fspath(path)!r}")


def case_files(paths: Sequence[Path]) -> Iterator[Path]:
    """Yield case files in order: the given files, and those in the given folders, ``*.case.toml`` or, without any, ``*.toml``."""
    for path in paths:
        if path.is_dir():
            found = sorted(path.rglob(f"*{SUFFIX}")) or sorted(path.rglob("*.toml"))
            if not found:
                raise SourceError(f"The folder {str(path)!r} has no case (*{SUFFIX}).")
            yield from found
        elif path.exists():
            yield path
        else:
            raise SourceError(f"There is no case at {str(path)!r}.")


def with_accepted(content: str) -> str:
    """Return a case file's text with today's parse as the expectation; the text before it is unchanged."""
    case = Case.loads(content)
    said = tomllib.loads(content)
    del said["expect"]
    for found in reversed(list(_EXPECT_TABLE.finditer(content))):
        head = content[: found.start()]
        try:
            is_whole = tomllib.loads(head) == said
        except (ValueError, RecursionError):
            continue
        if is_whole:
            return head + expectations.expected_text(case.accepted().expect)
    return case.accepted().dumps()


def case_of(reading: RecordedReading, why: str = "") -> Case:
    """Return a case for a recorded response that expects today's parse; a sentence says why if none is given."""
    reader = reader_of(reading)
    masked = mask_text(reading.text)
    expect = expectations.described(reader.read(masked))
    origin = {
        "session": writable(mask_text(reading.external_id or reading.session_id)),
        "turn": reading.turn_index,
    }
    sentence = why or f"A recorded response that is {expect['outcome']}."
    return Case(text=masked, reader=reader, expect=expect, why=sentence, origin=origin)


def _head(case: Case) -> Iterator[str]:
    yield expectations.assigned("why", writable(case.why))
    if case.reader.parser:
        yield expectations.assigned("parser", case.reader.parser)
    if case.reader.dialects:
        yield expectations.assigned("dialects", list(case.reader.dialects))
    if case.reader.profile:
        yield expectations.assigned("profile", case.reader.profile)
    if case.reader.tools is not None:
        tools = list(case.reader.tools)
        named = tools if expectations.is_sayable(tools) else expectations.json_literal(tools)
        yield expectations.assigned("tools", named)
    if case.origin:
        yield expectations.assigned("from", case.origin)
    if case.is_message:
        yield expectations.assigned_text(
            "message", escaped_halves(case.text)
        )  # in JSON they equal their escapes
    elif expectations.has_halves(case.text):
        yield expectations.assigned("json_text", expectations.json_literal(case.text))
    else:
        yield expectations.assigned_text("text", case.text)


def expectation(expect: object, name: str) -> JsonDict:
    """Check and return a file's expectation; an unknown word is refused, because it would not be checked."""
    return _checked(_EXPECTATION, expect, name, "expect").model_dump(exclude_unset=True)


def _checked(kind: TypeAdapter[_Model], value: object, name: str, *inside: str) -> _Model:
    try:
        return kind.validate_python(value)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, (*inside, *first["loc"])))
        raise SourceError(f"{name} is not a case: {where}: {first['msg']}.") from error


def _decoded(text: str, kind: type[_Value], name: str, key: str) -> _Value:
    """Return the value of a JSON text in a file."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise SourceError(f"{name} is not a case: {key} is not JSON text: {error}.") from error
    if not isinstance(value, kind):
        raise SourceError(f"{name} is not a case: {key} is not JSON text of a {kind.__name__}.")
    return value
