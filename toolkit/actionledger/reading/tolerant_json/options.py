"""What a decoder may do, as a value: part of a parser's configuration and of its hash."""

from pydantic import Field, field_serializer

from actionledger.core.settings import Settings
from actionledger.core.vocabulary import RepairKind
from actionledger.reading.tolerant_json.faults import FAULTS

JSON_REPAIRS = frozenset(fault.kind for fault in FAULTS)
"""Every kind of repair that concerns a JSON value itself; the others concern what is around it."""

GUESSES = frozenset(fault.kind for fault in FAULTS if fault.guesses)
"""The kinds of repair that guess at content.

A text without quotes may be a variable; dots stand for what was left out; a word that stands nowhere may have meant
something. Reading such a value does no harm, acting on it may: a parser of actions refuses it unless it is told otherwise.
"""


class DecodeOptions(Settings):
    """What a decoder may do: part of a parser's identity.

    Args:
        repairs: the kinds of repair that are allowed; none of them means strict reading. A text that needs another
            kind is refused, never read in another way.
        likelier: whether a text that can be read in two ways, or only by a guess, is read in the likelier way, with an
            issue that says what is in doubt; else it is refused. A parser of actions refuses it.
        max_depth: how deep a value may be nested.
        calls: whether Python calls such as ``name(a=1)`` are values too. What Python itself allows within their
            brackets is no repair.
        work: how many steps reading one value may take before it is given up; a step reads one token at least.

    Raises:
        UsageError: an option has a value that it can't have.

    Example:
        >>> strict = al.DecodeOptions(repairs=frozenset())
        >>> al.decode("[1, 2,]").ok, al.decode("[1, 2,]", options=strict).ok
        (True, False)
    """

    repairs: frozenset[RepairKind] = JSON_REPAIRS
    likelier: bool = False
    max_depth: int = Field(default=200, ge=1, le=500)
    calls: bool = False
    work: int = Field(default=5_000_000, ge=1)

    @field_serializer("repairs")
    def _repairs_in_order(self, repairs: frozenset[RepairKind]) -> list[RepairKind]:
        """A set's own order changes from process to process, and the parser's hash with it."""
        return sorted(repairs)


LENIENT = DecodeOptions(likelier=True)
STRICT = DecodeOptions(repairs=frozenset())
