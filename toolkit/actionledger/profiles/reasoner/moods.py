"""Parse a mood or a thought from a model's answer, or say precisely what is unclear. Pure."""

import re

from actionledger.core.errors import ActionError
from actionledger.core.vocabulary import Reason
from actionledger.profiles.reasoner.context import in_words, on_one_line, tidy
from actionledger.profiles.reasoner.store import INTENSITIES, Intensity
from actionledger.reading.said import SpokenAnswer
from actionledger.reading.tolerant_json import DecodeOptions, decode


def in_thoughts(answer: SpokenAnswer) -> str:
    """Return a thought; if a model only thinks aloud, its thoughts are the answer."""
    return in_words(answer if answer.text else SpokenAnswer(answer.thoughts, ""))


def felt_in_words(answer: SpokenAnswer) -> tuple[str, Intensity | None]:
    text = on_one_line(in_words(answer))
    return text, _named_intensity(text)


def felt(answer: SpokenAnswer) -> tuple[str, Intensity | None]:
    """Return the mood in a model's answer."""
    text = in_words(answer)
    value = decode(text, max(text.find("{"), 0), options=DecodeOptions()).value
    found = value if isinstance(value, dict) else {}
    mood, intensity = found.get("mood"), found.get("intensity")
    if not isinstance(mood, str) or not mood.strip():
        wrong = f"The answer names no mood: {text[:80]!r}"
    elif named := _named_intensity(intensity) if isinstance(intensity, str) else None:
        return on_one_line(tidy(mood)), named
    elif intensity is None:
        wrong = f"The answer names the mood {mood[:80]!r} and no intensity"
    else:
        wrong = f"The answer names the mood {mood[:80]!r}, but {str(intensity)[:80]!r} is not an intensity"
    expected = 'expected {"mood": "worried", "intensity": "low"}, the intensity one of low, medium, high.'
    raise ActionError(Reason.BAD_FORMAT, f"{wrong}; {expected}")


def _named_intensity(text: str) -> Intensity | None:
    """Return the intensity in a text, if it names exactly one."""
    named = [each for each in INTENSITIES if re.search(rf"\b{each}\b", text, re.IGNORECASE)]
    return named[0] if len(named) == 1 else None
