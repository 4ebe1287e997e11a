"""The functions that draw values, by class name; lower layers call them through ``actionledger.core.hooks``."""

from importlib import import_module

DRAWN = {
    "Contrast": ("comparisons", "contrast"),
    "Experiment": ("comparisons", "experiment"),
    "FailureChanges": ("failures", "changes"),
    "FailureReport": ("failures", "report"),
    "GateReport": ("gates", "gate"),
    "ReadableLedger": ("sessions", "ledger"),
    "PairedComparison": ("comparisons", "paired"),
    "ParseResult": ("readings", "reading"),
    "Rate": ("sessions", "rate"),
    "ReparseReport": ("comparisons", "report"),
    "RerunReport": ("sessions", "rerun"),
    "Shrunk": ("failures", "shrunk"),
    "Steps": ("sessions", "steps"),
    "Turn": ("readings", "turn"),
    "TurnDifference": ("comparisons", "difference"),
}
"""The module of this package and the prefix of its functions: ``reading_line``, ``reading_text``, ``reading_html``."""

_ELSEWHERE = {"junit": "gates", "markdown": "markdown"}


def drawn(value: object, how: str, *given: object) -> str:
    """Return a value's display; see ``actionledger.core.hooks.drawn``."""
    name = next(each.__name__ for each in type(value).__mro__ if each.__name__ in DRAWN)
    module, stem = DRAWN[name]
    found = import_module(f"{__package__}.{_ELSEWHERE.get(how, module)}")
    return str(getattr(found, f"{stem}_{how}")(value, *given))
