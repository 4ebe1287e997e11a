"""The sample sessions, and what the demo does with them."""

from collections.abc import Iterable
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory

from actionledger.core.errors import SourceError, UnknownNameError
from actionledger.core.recordings import RecordedSession
from actionledger.imports import Importer, ImportReport
from actionledger.imports.formats import jsonl
from actionledger.imports.sources.base import Item, Recorded, Refusal
from actionledger.ledger import Ledger
from actionledger.ledger.queries.recorded import known
from actionledger.profiles import PROFILES
from actionledger.runtime.workspace import Workspace

SOURCE = "demo"
"""What records name the source of all the demo's sessions."""

_PROFILE = "assistant"
"""The profile of sessions that name none."""


def sample_sessions(path: Path | None = None) -> Recorded:
    """Yield the sample sessions that come with the project."""
    file = path or _sample_file()
    return (_with_profile(item, file) for item in jsonl.read(file, is_whole=True))


def take_samples(
    ledger: Ledger,
    items: Iterable[Item] | None = None,
) -> ImportReport:
    """Read, check and run sample sessions in temporary folders; record all of it as one run, without what the ledger has already."""
    there = known(ledger, SOURCE, run=True)
    importer = Importer(
        ledger.record, source=SOURCE, origin="the sample sessions", known=there, manifests=ledger.manifests
    )
    with TemporaryDirectory(prefix="actionledger-demo-") as folder:
        for number, item in enumerate(sample_sessions() if items is None else items):
            importer.take(item, Workspace(Path(folder) / str(number)))
    report = importer.finish()
    ledger.ingest()
    return report


def _with_profile(item: Item, file: Path) -> Item:
    """Return a session with the profile that it is run under; one that names a profile that there is not is refused."""
    if not isinstance(item, RecordedSession):
        return item
    profile = item.profile or _PROFILE
    if profile in PROFILES:
        return replace(item, profile=profile)
    return Refusal(
        str(file), 0, f"Session {item.external_id!r}: {UnknownNameError('profile', profile, PROFILES)}"
    )


def _sample_file() -> Path:
    """The file in the installed package, or in the checkout that the package is run from."""
    installed = Path(str(files("actionledger"))) / "sample_data" / "sessions.jsonl"
    checkout = Path(__file__).parents[3] / "data" / "sessions.jsonl"
    for path in (installed, checkout):
        if path.is_file():
            return path
    raise SourceError("The sample sessions are missing from this installation; reinstall the package.")
