"""What is drawn of the talk around a turn: what the model was shown before it, thought, and was told after it."""

from actionledger.ledger.queries import Response, TurnDetail
from actionledger_dashboard.components.visible import pieces
from actionledger_dashboard.viewer.doing import was_recorded_elsewhere
from actionledger_dashboard.viewer.looks import Values

NOT_RECORDED = "Not recorded."


LONGEST = 60_000
"""How many characters of what was shown or told are drawn at once."""


def shown_before(detail: TurnDetail, before: Response | None, *, is_whole: bool = False) -> list[Values]:
    """Return what the model was shown before a turn, and what it thought, folded, where that is recorded."""
    prompt = detail.response.prompt
    if prompt is None and before is not None:
        prompt = before.feedback
    thought = detail.response.reasoning
    absent = NOT_RECORDED if before is None else _when_not_shown(before)
    found = [passage("What the model was shown before", _drawn(prompt, is_whole=is_whole), absent)]
    if thought is None:
        return found
    return [
        *found,
        passage("What the model thought", _drawn(thought, is_whole=is_whole), is_folded=True),
    ]


def _drawn(text: str | None, *, is_whole: bool) -> str | None:
    """Return a text; of a very long one its beginning and its end, which has the newest, with how much is missing between them."""
    if text is None or is_whole or len(text) <= LONGEST:
        return text
    beginning, end = LONGEST // 3, LONGEST - LONGEST // 3
    return f"{text[:beginning]}\n… {len(text) - LONGEST:,} characters are not shown here …\n{text[-end:]}"


def told_after(detail: TurnDetail, *, is_whole: bool = False) -> list[Values]:
    """Return all that the model was told of a turn, in order and with when; or why there is nothing."""
    first = "What the model was told next, exactly"
    if not detail.response.told:
        return [passage(first, None, _when_not_told(detail))]
    return [
        passage(
            (f"Told again as the turn went on ({number})" if told.is_resumed else first)
            + (f" · {told.at:%Y-%m-%d %H:%M:%S} UTC" if told.at else ""),
            _drawn(told.text, is_whole=is_whole),
        )
        for number, told in enumerate(detail.response.told)
    ]


def passage(title: str, text: str | None, absent: str = "", *, is_folded: bool = False) -> Values:
    """Return one text under its title."""
    shown = None if text is None else pieces(text)
    return {"title": title, "text": shown, "absent": absent, "folded": is_folded}


def _when_not_shown(before: Response) -> str:
    """Return where else it stands what the model was shown, as far as anybody recorded it."""
    return f"Not recorded as one text; what is known of it stands with turn {before.index:,}, as what came of its calls."


def _when_not_told(detail: TurnDetail) -> str:
    """Return why it is not there what the model was told of a turn."""
    if not was_recorded_elsewhere(detail):
        return "The turn never ended."
    if detail.executions:
        return "Not recorded as one text; what came of each call stands beside the response."
    return NOT_RECORDED
