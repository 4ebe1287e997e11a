"""Why a recorded session can't be run again."""

from dataclasses import dataclass
from enum import StrEnum


class WhyNot(StrEnum):
    """Why a recorded session can't be run again."""

    NOT_OURS = "not_ours"
    NO_TEXT = "no_text"
    MASKED = "masked"
    NO_MANIFEST = "no_manifest"
    NOT_KEPT = "not_kept"
    DAMAGED = "damaged"
    UNKNOWN_PROFILE = "unknown_profile"
    NOT_APART = "not_apart"
    OPEN = "open"


SENTENCES = {
    WhyNot.NOT_OURS: "Another runtime has run it, and only its record of what came of the actions is here.",
    WhyNot.NO_TEXT: "The recording has not kept what the model wrote as it wrote it.",
    WhyNot.MASKED: "A secret in it was masked before it was recorded, so that it would not run as it did.",
    WhyNot.NO_MANIFEST: "Nobody has kept what its workspace held: it was recorded without a manifest, or that is over its time.",
    WhyNot.NOT_KEPT: "What its workspace held is no longer kept.",
    WhyNot.DAMAGED: "What is kept of its workspace is damaged.",
    WhyNot.UNKNOWN_PROFILE: "Its profile is not known here; give one by profile=… .",
    WhyNot.NOT_APART: "Actions that touch the outside ran side by side with others, so that nobody can tell which changed what.",
    WhyNot.OPEN: "It is being worked on elsewhere.",
}
"""Each as a sentence."""


@dataclass(frozen=True, slots=True)
class Refused(Exception):  # noqa: N818 - it is no error of anybody's
    """A session that can't be run again.

    Args:
        reason: why.
        detail: the particulars, as a sentence; empty where there are none.
    """

    reason: WhyNot
    detail: str = ""

    @property
    def sentence(self) -> str:
        """The reason, for people."""
        return f"{SENTENCES[self.reason]} {self.detail}".rstrip()

    def __str__(self) -> str:
        return self.sentence
