"""Sizes and times as people read them."""

_UNITS = ("bytes", "kB", "MB", "GB", "TB")
_STEP = 1000


def size_words(count: int) -> str:
    """Return a number of bytes in the unit that keeps it short."""
    number = float(count)
    for unit in _UNITS[:-1]:
        if number < _STEP:
            return f"{number:,.0f} {unit}" if unit == "bytes" else f"{number:.1f} {unit}"
        number /= _STEP
    return f"{number:,.1f} {_UNITS[-1]}"


def time_words(seconds: float) -> str:
    """Return a time in the unit that keeps it short."""
    for unit, length in (("day", 86400), ("hour", 3600), ("minute", 60)):
        if seconds >= 2 * length:
            return f"{seconds / length:,.0f} {unit}s"
    return f"{seconds:,.0f} seconds" if seconds >= 2 else f"{seconds:.1f} seconds"
