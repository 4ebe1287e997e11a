"""What a comparison comes to."""

from enum import IntEnum


class Fit(IntEnum):
    """Whether a condition holds; of several, the greatest counts where one is enough, the least where all are needed."""

    NO = 0
    PERHAPS = 1
    YES = 2
