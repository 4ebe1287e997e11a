"""How often Python looks for values that hold each other, where much is made that all goes by itself."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

_MADE_BETWEEN, _YOUNG, _MIDDLING = 250_000, 20, 100
"""Python's own are 700, 10 and 10: of an import an eighth of the processor time went into looking at values that nobody had let go of, a twentieth
yet with 50,000. What a piece is made of is some hundred thousand values, of which some hundred hold each other."""


@contextmanager
def collecting_seldom() -> Iterator[None]:
    """Have the search for values that hold each other begin seldom within, in this process."""
    before = gc.get_threshold()
    gc.set_threshold(_MADE_BETWEEN, _YOUNG, _MIDDLING)
    try:
        yield
    finally:
        gc.set_threshold(*before)
