"""A mood or a thought in what a model answers: read where it is plain, and named truly where it isn't. Pure."""

import re

from actionledger.core.errors import ActionError
from actionledger.core.vocabulary import Reason
from actionledger.profiles.reasoner.context import in_words, on_one_line, tidy
from actionledger.profiles.reasoner.store import INTENSITIES, Intensity
from actionledger.reading.said import SpokenAnswer
from actionledger.reading.tolerant_json import DecodeOptions, decode


def in_thoughts(answer: SpokenAnswer) -> str:
    """Return a thought; a model that thinks aloud has answered with that, where nothing stands behind it."""
    return in_words(answer if answer.text else SpokenAnswer(answer.thoughts, ""))


def felt_in_words(answer: SpokenAnswer) -> tuple[str, Intensity | None]:
    text = on_one_line(in_words(answer))
    return text, _named_intensity(text)


def felt(answer: SpokenAnswer) -> tuple[str, Intensity | None]:
    """Return the mood that a model's answer names."""
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
    """Return the intensity that a text names, if it names just one."""
    named = [each for each in INTENSITIES if re.search(rf"\b{each}\b", text, re.IGNORECASE)]
    return named[0] if len(named) == 1 else None
