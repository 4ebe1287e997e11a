"""The table of what went into the sessions, and its place in the README."""

from collections import Counter

from generator.cast import MODELS, PROFILES
from generator.faults.table import FAULTS, KINDS, Fault
from generator.session import Tally

BEGIN = "<!-- rates: written by generate.py, don't edit -->"
END = "<!-- end of rates -->"

_RULE = ["---:"] * (len(MODELS) + 1)


def table(tally: Tally) -> str:
    """Return the counts as Markdown: responses by model, then the faults of each kind by model."""
    shares = [_share(tally.well_formed[model], tally.intended[model]) for model in MODELS]
    whole = _share(tally.well_formed.total(), tally.intended.total())
    responses = [
        _row("", *MODELS, "all"),
        _row("---", *_RULE),
        _row("responses", *_counts(tally.responses)),
        _row("meant to act", *_counts(tally.intended)),
        _row("well-formed, of these", *_counts(tally.well_formed)),
        _row("share", *shares, whole),
    ]
    return "\n".join([*responses, *(line for kind in KINDS for line in _kind(kind, tally))])


def placed(readme: str, text: str) -> str:
    """Return the README with the text between its two marks, whatever stood there before."""
    before, _, rest = readme.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n\n{text}\n\n{END}{after}"


def _kind(kind: str, tally: Tally) -> list[str]:
    rows = [_fault_row(fault, tally) for fault in FAULTS if fault.kind == kind]
    head = _row("fault", "what it does", "in", *MODELS, "all")
    return ["", f"### {kind.capitalize()}", "", KINDS[kind], "", head, _row(*["---"] * 3, *_RULE), *rows]


def _fault_row(fault: Fault, tally: Tally) -> str:
    counts = Counter({model: tally.faults[fault.name, model] for model in MODELS})
    profiles = "all" if len(fault.profiles) == len(PROFILES) else ", ".join(fault.profiles)
    return _row(f"`{fault.name}`", fault.about, profiles, *_counts(counts))


def _counts(counter: Counter[str]) -> list[str]:
    return [*(str(counter[model]) for model in MODELS), str(counter.total())]


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "–"


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"
