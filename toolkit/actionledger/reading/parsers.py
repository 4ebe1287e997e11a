"""Parser configurations with a name, a version and a hash, for records, comparisons and replays."""

import hashlib
import json
from collections.abc import Mapping
from functools import cached_property, lru_cache
from typing import Annotated, Literal, Self, TypeAlias

from pydantic import Field, field_validator

from actionledger.core.canonical import JsonMap
from actionledger.core.errors import called, require_kind
from actionledger.core.settings import Settings
from actionledger.core.values import Reading
from actionledger.core.vocabulary import RepairKind
from actionledger.reading.baselines import BaselineRules, baseline_blocks
from actionledger.reading.dialects import DIALECTS, AnyDialect, dialect_named, dialects_named
from actionledger.reading.dialects.commands import BashFence, CommandTags, MintFences
from actionledger.reading.dialects.response_template import ResponseTemplate
from actionledger.reading.dialects.xml_tags import XmlTags
from actionledger.reading.evidence.weighing import EvidenceSetting
from actionledger.reading.finding import Finder
from actionledger.reading.parse import ANALYSIS, REASONING, assembled, read
from actionledger.reading.scan.source import Source
from actionledger.reading.tolerant_json.faults import GUESSES, DecodeOptions

REPAIRS = frozenset(RepairKind) - GUESSES
"""Every kind of repair except those that guess at content, since the parsed actions are executed."""


READING_RULES = 10
"""The version of this code's reading rules, which is part of every parser's configuration, id and record.

Raise it by one whenever some text is parsed differently under unchanged settings: its outcome, a
block's status or reason, an action, or a repair. The cause may be a change in finding openings, in a dialect, or in
deciding outcomes. A parser's own ``version`` is for a change to that parser alone. Readings under
other rules keep their old id, so a ledger distinguishes them, and comparing the two shows the change's effect.

1. Fences count only at the start of a line.
2. Fences count within a line, in list items and on one line with their value; quotations and nested fences are searched
   for examples; tags are known in another spelling and with attributes; a block after an unclosed fence is lost
   rather than an example.
3. A value alone on its lines is meant, whatever is on the lines around it; its keys need no quotes; tags with
   another name, with escaped signs, or without a field are lost rather than skipped; the sentence before a
   block may make it an example.
4. If the offered tools are known, a call of one is parsed or reported in any notation: see ``evidence``.
   A call in a quotation, an echo or an invented turn is shown, and so is a repeated one.
5. Lines that end with only a carriage return are lines, and a call in a diff is shown.
6. A call that the end of the text cuts, that is only thought, or that prose takes back, needs a person's approval or is shown. A call
   inside another one's argument is that one's text, or both are ambiguous. A doubled or misspelt tag is no content. A call without its
   first marks is found by each dialect's own writing.
7. The documents' own formats also wait if the words around an action present, describe or ask about it. A lead that only names
   the work at hand lets a marked call run. In a profile, a call of an unknown tool that is meant is lost, not skipped.
8. If a provider keeps calls apart, a call of an offered tool in a Python fence at the end of the text has failed. So has one in any
   format at the end of thoughts, if the message has nothing else. In Harmony, a response may begin with the recipient.
9. Under a profile, a call in none of the known formats fails instead of passing silently: ``/name words``, ``name: words``, a fence
   with the name as its label, YAML. A null list of actions is an empty one.
10. "Wait, no" after a call takes it back. A call in a dialogue, a diff, an open task, a list's item or a program's text waits. In a
   profile, so does one in a comment, a tool's echo or a quotation. Five more languages are known. Where words follow a call, it runs
   only if those before it, or these, say that it is made. One in the middle of a sentence, between the turns of a dialogue, or alone in
   a pair of tags whose name is no call's waits.
"""


class _Configuration(Settings):
    name: str
    version: str = "1"
    requires_action: bool = False
    reading_rules: int = READING_RULES

    @field_validator("reading_rules")
    @classmethod
    def _are_followed(cls, rules: int) -> int:
        """Refuse a configuration recorded under other rules, which this code doesn't follow."""
        if rules != READING_RULES:
            raise ValueError(f"this version reads by the rules {READING_RULES}, not by {rules}")
        return rules

    def model_copy(self, *, update: JsonMap | None = None, deep: bool = False) -> Self:  # noqa: ARG002 - all of it is frozen
        """Return a copy with some settings changed, without values computed from the old ones.

        Example:
            >>> cautious = al.parser("auto").model_copy(update={"name": "cautious", "evidence": "reported"})
            >>> cautious.name, cautious.id == al.parser("auto").id
            ('cautious', False)
        """
        settings = {name: getattr(self, name) for name in type(self).model_fields}
        return type(self)(**settings | dict(update or {}))

    @cached_property
    def configuration(self) -> str:
        """The configuration as canonical JSON text."""
        return json.dumps(self.model_dump(mode="json"), sort_keys=True, separators=(",", ":"))

    @cached_property
    def id(self) -> str:
        """The hash of the configuration; equal settings have equal hashes."""
        return hashlib.sha256(self.configuration.encode()).hexdigest()[:16]


class DialectParser(_Configuration):
    """A parser that searches for dialects.

    Args:
        name: its name in records and for people.
        version: raised when its meaning changes while its settings don't.
        requires_action: whether the protocol demands an action in every turn.
        dialects: the formats to search for; if two want the same block, the first that reads it wins.
        decoding: what may be repaired, and the decoder's limits.
        max_blocks: the maximum of parsed blocks with actions; None for all.
        reasoning: whether ``<think>`` holds thoughts, which are neither narrative nor meant.
        evidence: the treatment of calls of offered tools without a format's marks: they are ``read`` if their
            place shows that they are meant, ``read_in_sentences`` as well, ``reported`` as lost, or ``ignored``.

    Example:
        >>> isinstance(al.parser("mint"), al.DialectParser)
        True
    """

    type: Literal["dialects"] = "dialects"
    dialects: tuple[Annotated[AnyDialect | ResponseTemplate | MintFences, Field(discriminator="name")], ...]
    decoding: DecodeOptions = DecodeOptions(repairs=REPAIRS)
    max_blocks: int | None = Field(default=None, ge=1)
    reasoning: bool = True
    evidence: EvidenceSetting = "read"

    @cached_property
    def finder(self) -> Finder:
        """The finder of its blocks."""
        if not self.reasoning:
            return Finder(self.dialects)
        reads_channels = any("<|channel|>" in dialect.literals for dialect in self.dialects)
        return Finder((REASONING, *self.dialects, *(() if reads_channels else (ANALYSIS,))))

    def read(self, text: str, names: frozenset[str] | None = None, *, is_cut: bool = False) -> Reading:
        """Read a response; never raises on text.

        Args:
            text: the raw response, any string at all.
            names: the names of the tools that the model was offered; None if unknown.
            is_cut: whether the model was stopped before it was done, as a finish reason ``length`` says.

        Example:
            >>> str(al.parser("mint").read("<execute>1 + 1</execute>").outcome)
            'clean'
        """
        return read(
            Source(text, names, is_cut=is_cut),
            self.finder,
            options=self.decoding,
            max_blocks=self.max_blocks,
            requires_action=self.requires_action,
            parser_id=self.id,
            evidence=self.evidence,
        )


class BaselineParser(_Configuration):
    """One of the documents' own parsers.

    Args:
        name: its name in records and for people.
        version: raised when its meaning changes while its settings don't.
        requires_action: whether the protocol demands an action in every turn.
        rules: the document whose rules it follows.

    Example:
        >>> isinstance(al.parser("gembrain-standard"), al.BaselineParser)
        True
    """

    type: Literal["baseline"] = "baseline"
    rules: BaselineRules

    def read(self, text: str, _names: frozenset[str] | None = None, *, is_cut: bool = False) -> Reading:  # noqa: ARG002 - as ``DialectParser.read``
        """Parse a response; never raises on text. The offered tools and ``is_cut`` don't matter to a baseline.

        Example:
            >>> str(al.parser("mint-harness").read("<execute>1 + 1</execute>").outcome)
            'clean'
        """
        placed = baseline_blocks(self.rules, text)
        return assembled(text, placed, requires_action=self.requires_action, parser_id=self.id)


AnyParser: TypeAlias = DialectParser | BaselineParser
"""Any configuration that can read a response."""


@lru_cache(maxsize=64)
def parser_for(
    dialects: tuple[str, ...], fields: tuple[tuple[str, tuple[str, ...]], ...] | None = None
) -> DialectParser:
    """Return a parser for these dialects or families; cached."""
    chosen = {dialect.name: dialect for name in dialects for dialect in dialects_named(name)}
    if fields is not None and "xml_tags" in chosen:
        chosen["xml_tags"] = XmlTags.of(dict(fields))
    return DialectParser(name="+".join(dialects), dialects=tuple(chosen.values()))


_COMMANDS: Mapping[str, AnyDialect] = {
    each.name: each for each in (BashFence(needs_shell=True), CommandTags(needs_shell=True))
}
_EVERY_DIALECT = tuple(_COMMANDS.get(dialect.name) or dialect_named(dialect.name) for dialect in DIALECTS)
"""Every dialect; those that look like any example have stricter settings."""

PARSERS: dict[str, AnyParser] = {
    parser.name: parser
    for parser in (
        DialectParser(
            name="assistant",
            dialects=(dialect_named("actions"), dialect_named("iteration")),
            max_blocks=5,
            evidence="reported",
        ),
        DialectParser(
            name="assistant-iterative",
            dialects=(dialect_named("iteration"),),
            requires_action=True,
            evidence="reported",
        ),
        DialectParser(name="orchestrator", dialects=(dialect_named("json_action"),), evidence="reported"),
        DialectParser(
            name="coder",
            version="2",
            dialects=(dialect_named("xml_tags"), dialect_named("search_replace")),
            evidence="reported",
        ),
        DialectParser(name="reasoner", dialects=(dialect_named("plan"),), evidence="reported"),
        DialectParser(name="auto", dialects=_EVERY_DIALECT),
        DialectParser(
            name="mint",
            dialects=(dialect_named("mint"),),
            requires_action=True,
            reasoning=False,
            evidence="ignored",
        ),
        DialectParser(
            name="mint-fences",
            dialects=(MintFences(),),
            requires_action=True,
            reasoning=False,
            evidence="ignored",
        ),
        BaselineParser(name="gembrain-standard", rules="gembrain-standard"),
        BaselineParser(name="gembrain-iterative", rules="gembrain-iterative", requires_action=True),
        BaselineParser(name="echelon-progressive", rules="echelon-progressive"),
        BaselineParser(name="go-tags", rules="go-tags"),
        BaselineParser(name="mint-harness", rules="mint-harness", requires_action=True),
        BaselineParser(name="mint-harness-fences", rules="mint-harness-fences", requires_action=True),
    )
}
"""The named parsers: one per profile, one for all dialects, and the documents' own as baselines."""


def parser_named(name: str) -> AnyParser:
    """Return the named parser.

    Raises:
        UnknownNameError: no parser has that name.
    """
    return called(name, "parser", PARSERS)


def response_template_parser(definition: JsonMap) -> DialectParser:
    """Return a parser for a checkpoint's response template.

    Args:
        definition: the template as the checkpoint's tokenizer has it, in ``tokenizer.response_template`` or in
            ``tokenizer_config.json``.

    Raises:
        UsageError: it is no response template, or calls can't be found by it.

    Example:
        >>> calls = {"open": "<call>", "close": "</call>", "content": "json", "repeats": True}
        >>> parser = al.response_template_parser({"start_anchor": "<bot>", "fields": {"tool_calls": calls}})
        >>> al.parse('<call>{"name": "add", "arguments": {"a": 1}}</call>', parser=parser).actions[0].arguments
        {'a': 1}
    """
    return DialectParser(name="response_template", dialects=(ResponseTemplate.of(definition),))


def resolve_parser(parser: str | AnyParser) -> AnyParser:
    """Return a parser, given by name or as a value."""
    if isinstance(parser, str):  # checked first: checking for a model takes a microsecond
        return parser_named(parser)
    require_kind(parser, AnyParser, "A parser is a name or what al.parser(name) gives")
    return parser


NamedParser: TypeAlias = str | AnyParser
"""A parser, or its name."""
