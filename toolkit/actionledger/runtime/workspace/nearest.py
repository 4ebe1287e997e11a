"""What comes nearest to a text that was not found, so that a model can see what it got wrong."""

from rapidfuzz import fuzz, process

_MOST_LINES = 12
"""How many lines are shown."""

_LONGEST_LINE = 200
"""How much of a line is compared and shown, in characters."""

_MOST_COMPARED = 20_000
"""How many lines of the file are looked at."""

_CANDIDATES = 5
"""How many lines that are like the search's longest one are tried as its place."""

_LEAST = 55.0
"""The least likeness that is worth showing, in percent."""


def nearest_lines(text: str, search: str) -> str:
    """Return the lines of a text that are most like a search text, numbered; empty where none are alike."""
    lines = [line[:_LONGEST_LINE].rstrip() for line in text.split("\n", _MOST_COMPARED)[:_MOST_COMPARED]]
    wanted = [line[:_LONGEST_LINE].strip() for line in search.strip().split("\n")[:_MOST_LINES]]
    longest = max(range(len(wanted)), key=lambda number: len(wanted[number]))
    # A single line may have been meant as a part of one.
    scorer = fuzz.ratio if len(wanted) > 1 else fuzz.partial_ratio
    stripped = [line.strip() for line in lines]
    alike = process.extract(
        wanted[longest], stripped, scorer=scorer, processor=None, limit=_CANDIDATES, score_cutoff=_LEAST
    )
    places = {max(0, place - longest) for line, _, place in alike if line}
    if not places:
        return ""
    best = max(
        sorted(places),
        key=lambda place: scorer("\n".join(wanted), "\n".join(stripped[place : place + len(wanted)])),
    )
    shown = lines[best : best + len(wanted)]
    numbered = "\n".join(f"{number}| {line}" for number, line in enumerate(shown, best + 1))
    return f" The nearest lines are:\n{numbered}"
