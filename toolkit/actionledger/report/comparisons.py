"""Two readings of the same turns, compared: as HTML for a notebook, in a few lines for a terminal."""

from collections.abc import Mapping
from typing import Any, Protocol

from actionledger.core.html import chip, escaped, frame, heading
from actionledger.core.rates import TOO_FEW, shown_p
from actionledger.core.tables import Markup, box
from actionledger.core.text import counted, cut, visible

_WORDS = {
    "newly_rejected": "newly rejected",
    "newly_accepted": "newly accepted",
    "changed_actions": "other actions",
    "changed_arguments": "other arguments",
    "newly_intent": "meant to act only after",
    "no_longer_intent": "meant to act only before",
    "no_intent": "meant to act in neither",
}
_TONES = {
    "recovered": "good",
    "lost": "bad",
    "newly_rejected": "bad",
    "newly_accepted": "good",
    "changed_actions": "fair",
    "changed_arguments": "fair",
}
_EXAMPLES = 20


class Report(Protocol):
    """What a reading of recorded turns by another parser came to."""

    @property
    def run_id(self) -> str:
        """The run that it is recorded as."""

    @property
    def parser_name(self) -> str:
        """The parser that read again."""

    @property
    def turns(self) -> int:
        """How many turns it read."""

    @property
    def counts(self) -> dict[str, int]:
        """How many turns are in each bucket."""

    @property
    def p_value(self) -> float:
        """How likely chance alone shifts the sessions so far."""

    @property
    def difference(self) -> tuple[float, float] | None:
        """The 95 % interval of the change in success, -1 to 1; None where too few sessions were compared."""

    @property
    def comparison(self) -> Any:
        """Both readings, with examples by bucket in ``turns``."""


def in_words(bucket: str) -> str:
    """Return what a bucket is called where its name says too little."""
    return _WORDS.get(bucket, bucket)


def report_line(report: Report) -> str:
    """Return a report in one line."""
    return f"<ReparseReport {report_text(report)}>"


def report_text(report: Report) -> str:
    """Return a report as a sentence: which turns, what changed, and whether that is more than chance."""
    counts = ", ".join(f"{count:,} {in_words(bucket)}" for bucket, count in report.counts.items() if count)
    return (
        f"{counted(report.turns, 'turn')} read again by {visible(cut(report.parser_name, 60))}: {counts}; "
        f"{_change(report)}"
    )


def report_html(report: Report) -> str:
    """Return a report as a display: how many turns changed and which way, and some of them."""
    top = heading(
        "ReparseReport",
        f"read again by <b>{escaped(report.parser_name)}</b>",
        escaped(counted(report.turns, "turn")),
        escaped(_change(report)),
        f"run {escaped(report.run_id)}",
    )
    counts = [
        (Markup(chip(in_words(bucket), _TONES.get(bucket, ""))), count)
        for bucket, count in report.counts.items()
    ]
    return frame(top, box(("read", "turns"), counts), _examples(report.comparison.turns))


def _change(report: Report) -> str:
    compared = report.comparison
    if not compared.intent:
        return "no turn that meant to act in both readings"
    of = f"over the {counted(compared.intent, 'turn')} that meant to act in both"
    if report.difference is None:
        return f"{of}: {TOO_FEW} to tell a change from chance"
    low, high = report.difference
    return f"success {low:+.1%} to {high:+.1%} (95 %), {shown_p(report.p_value)}, {of}"


def _examples(turns: Mapping[str, Any]) -> str:
    rows = [
        (
            Markup(chip(in_words(bucket), _TONES.get(bucket, ""))),
            turn.session_id,
            turn.turn_index,
            turn.before,
            turn.after,
        )
        for bucket in turns
        if bucket not in {"same", "no_intent"}
        for turn in turns[bucket][:_EXAMPLES]
    ]
    if not rows:
        return ""
    return box(("read otherwise", "session", "turn", "before", "after"), rows, mono=frozenset({1}))
