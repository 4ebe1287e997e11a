"""What changed between two versions: fields, kinds of line and wordings that came and went."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from lab.agents import AGENTS
from lab.collecting import Subject, run_folder
from lab.scenarios import SCENARIOS
from lab.shapes import Shape, shape_of, wordings_of


def shape(subject: Subject, folder: Path, scenarios: Sequence[str] = ()) -> Shape:
    """Return the shape of all that a subject has written in its runs."""
    found = Shape()
    for scenario in scenarios or SCENARIOS:
        place = run_folder(folder, subject, scenario)
        is_agent = subject.kind == "agents"
        store = place / "home" / AGENTS[subject.name].store if is_agent else place / "spans.json"
        ledger = place / ("file.duckdb" if is_agent else "trace.duckdb")
        if store.exists():
            found.add(shape_of(store))
        if ledger.exists():
            found.wordings |= wordings_of(ledger)
    return found


def changes(before: Shape, now: Shape) -> Iterator[str]:
    """Yield a line for each thing that came or went; of fields the outermost alone."""
    for what, old, new in (
        ("field", before.fields, now.fields),
        ("kind", before.kinds, now.kinds),
        ("wording", before.wordings, now.wordings),
    ):
        for sign, some in (("+", new - old), ("-", old - new)):
            outermost = some if what != "field" else {each for each in some if parent(each) not in some}
            for each in sorted(outermost):
                yield f"{sign} {what} {each}"


def parent(path: str) -> str:
    """Return the field that a field is inside of."""
    return path.rpartition(".")[0].rstrip("[]")
