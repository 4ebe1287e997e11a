"""What a report says in sentences: how responses without a tool call ended, and what responses took and cost."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from actionledger.cli.tables import shown_rate
from actionledger.core.plurals import by_prices, counted
from actionledger.core.text import NO_NAME
from actionledger.core.vocabulary import Ending, SessionOutcome
from actionledger.imports.list_prices import is_installed

if TYPE_CHECKING:  # slow to load, and what prints a sentence needs none of them
    from actionledger.ledger.queries.left_as_text import LeftAsText
    from actionledger.ledger.queries.price_sources import BilledBeside, Unpriced
    from actionledger.ledger.queries.unacted import Unacted
    from actionledger.ledger.queries.usage import UsageSums

_SHOWN_MODELS = 5
"""So many models are named; of the others, how many there are."""


def how_to_price() -> str:
    """Return what gives models a price, as a sentence."""
    if is_installed():
        return "No price list has them; 'import --prices FILE' takes yours."
    return "pip install 'actionledger[prices]' brings providers' dated price lists for new imports; 'import --prices FILE' takes yours."


def unacted_lines(found: "Unacted", sessions: "Mapping[SessionOutcome, int]") -> list[str]:
    """Return how the responses without a tool call ended, and how sessions came out, as sentences."""
    lines = [_unacted_line(found)]
    others = [
        (Ending.FINAL_ANSWER, "ended with a final answer"),
        (Ending.WENT_ON, "went on with another response"),
        (Ending.NOT_KNOWN, "ended in a way that is not known"),
    ]
    if said := [f"{found.count(ending):,} {words}" for ending, words in others if found.count(ending)]:
        lines.append(f"Other responses without a tool call: {', '.join(said)}.")
    if sessions:
        lines.append(f"Sessions: {', '.join(f'{n:,} {each.words}' for each, n in sessions.items())}.")
    return lines


def _unacted_line(found: "Unacted") -> str:
    if not found.rate.successes:
        return "No response stopped without acting, and each call could be parsed."
    stopped, unparseable = found.count(Ending.STOPPED), found.count(Ending.UNPARSEABLE)
    why = ", ".join(f"{count:,} {stop.words}" for stop, count in found.stops.items())
    parts = [f"{counted(stopped, 'response')} stopped without acting ({why})"] if stopped else []
    if unparseable:
        parts.append(
            f"{unparseable:,} could not be parsed"
            if stopped
            else f"{counted(unparseable, 'response')} could not be parsed"
        )
    where = f"in {counted(found.sessions, 'session')}, {shown_rate(found.rate)} of all {found.rate.count:,}"
    return f"{' and '.join(parts)}, {where}."


def usage_line(found: "UsageSums", sources: "Sequence[str]" = ()) -> str:
    """Return what the responses took, as a sentence; empty where nothing of it is recorded."""
    parts = []
    if found.counted:
        cached = f", {found.cached_tokens:,} of them cached" if found.cached_tokens else ""
        thought = f", {found.reasoning_tokens:,} of them thoughts" if found.reasoning_tokens else ""
        parts.append(
            f"{found.input_tokens:,} tokens in{cached}, {found.output_tokens:,} out{thought} "
            f"({found.counted:,} of {counted(found.turns, 'response')})"
        )
    if found.priced:
        parts.append(
            f"${found.cost_usd:,.2f}{_origin_of_costs(found, sources)} ({found.priced:,} of {counted(found.turns, 'response')})"
        )
    if found.latency_ms is not None:
        parts.append(f"{found.latency_ms / 1000:,.1f} s in the median ({found.timed:,} timed)")
    return f"Took {'; '.join(parts)}." if parts else ""


def cost_lines(billed: "Sequence[BilledBeside]", unpriced: "Sequence[Unpriced]") -> list[str]:
    """Return what was billed beside messages, and of which models nobody knows the cost, as sentences."""
    lines = []
    if billed:
        parts = (
            f"{each.kind}{f' of {each.model}' if each.model else ''} {counted(each.times, 'time')}"
            + (f" ({each.requests:,} requests)" if each.requests else "")
            + (
                f" ({each.input_tokens:,} tokens in, {each.output_tokens:,} out)"
                if each.input_tokens or each.output_tokens
                else ""
            )
            for each in billed
        )
        lines.append(f"Billed beside the messages, and among these tokens: {'; '.join(parts)}.")
    if unpriced:
        shown = ", ".join(
            f"{counted(each.turns, 'response')} of {each.model or NO_NAME}"
            for each in unpriced[:_SHOWN_MODELS]
        )
        hidden = len(unpriced) - _SHOWN_MODELS
        more = f" and {counted(hidden, 'more model')}" if hidden > 0 else ""
        lines.append(f"No cost is known for {shown}{more}. {how_to_price()}")
    return lines


def left_as_text_line(found: "LeftAsText") -> str:
    """Return in how many responses a call was left as text and what they took, as a sentence; empty where there is none."""
    if not found.responses:
        return ""
    where = f"{counted(found.responses, 'response')} in {counted(found.sessions, 'session')}"
    took = ", tokens not recorded"
    if found.counted:
        took = f", which took {found.input_tokens:,} tokens in, {found.output_tokens:,} out"
        took += f" ({found.counted:,} counted)" if found.counted < found.responses else ""
    return f"A tool call left as text, which nothing ran: {where}{took}."


def _origin_of_costs(found: "UsageSums", sources: "Sequence[str]") -> str:
    """Return whether costs are as recorded, by prices, or how much of them is."""
    by_file = by_prices(sources)
    if found.by_prices in {0, found.priced}:
        return f" {by_file}" if found.by_prices else " as recorded"
    return f", ${found.by_prices_usd:,.2f} of it {by_file} for {counted(found.by_prices, 'response')}"
