"""Texts that a spreadsheet takes for a formula, which can reach other hosts and run programs: what is written into a CSV in their place. Pure."""

FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""What a formula begins with."""


def harmless(value: object) -> object:
    """Return a value as a CSV has it: a text that would be a formula behind an apostrophe, anything else as it is.

    Args:
        value: a cell, or a column's name.
    """
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA) else value
