"""The table of what went into the sessions, and its place in the README."""

from collections import Counter

from generator.cast import MODELS, PROFILES
from generator.faults.table import FAULTS, KINDS, Fault

BEGIN = "<!-- rates: written by generate.py, don't edit -->"
END = "<!-- end of rates -->"

Responses = list[tuple[str, list[Fault]]]
"""The model of each response, and what was put into it."""

_RULE = ["---:"] * (len(MODELS) + 1)


def table(responses: Responses) -> str:
    """Return the counts as Markdown: responses by model, then the faults of each kind by model."""
    meant = [(model, faults) for model, faults in responses if not _has("silent", faults)]
    formed = [(model, faults) for model, faults in meant if not _has("reading", faults)]
    intended, well_formed = _counts(meant), _counts(formed)
    shares = [
        f"{100 * int(part) / int(whole):.1f} %" for part, whole in zip(well_formed, intended, strict=True)
    ]
    rows = [
        _row("", *MODELS, "all"),
        _row("---", *_RULE),
        _row("responses", *_counts(responses)),
        _row("meant to act", *intended),
        _row("well-formed, of these", *well_formed),
        _row("share", *shares),
    ]
    return "\n".join([*rows, *(line for kind in KINDS for line in _kind(kind, responses))])


def placed(readme: str, text: str) -> str:
    """Return the README with the text between its two marks, whatever stood there before."""
    before, _, rest = readme.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n\n{text}\n\n{END}{after}"


def _kind(kind: str, responses: Responses) -> list[str]:
    rows = [_fault_row(fault, responses) for fault in FAULTS if fault.kind == kind]
    head = _row("fault", "what it does", "in", *MODELS, "all")
    return ["", f"### {kind.capitalize()}", "", KINDS[kind], "", head, _row(*["---"] * 3, *_RULE), *rows]


def _fault_row(fault: Fault, responses: Responses) -> str:
    counts = _counts([(model, faults) for model, faults in responses if fault in faults])
    profiles = "all" if len(fault.profiles) == len(PROFILES) else ", ".join(fault.profiles)
    return _row(f"`{fault.name}`", fault.about, profiles, *counts)


def _has(kind: str, faults: list[Fault]) -> bool:
    return any(fault.kind == kind for fault in faults)


def _counts(responses: Responses) -> list[str]:
    """Return how many responses there are of each model, and of all."""
    counter = Counter(model for model, _ in responses)
    return [*(str(counter[model]) for model in MODELS), str(len(responses))]


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"
