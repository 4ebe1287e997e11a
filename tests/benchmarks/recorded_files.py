"""Files of recordings, as the benchmarks of importing have them: which there are, how large, and a bare reading and a whole import."""

import json
import subprocess
import sys
from pathlib import Path

from actionledger.core.errors import SourceError
from actionledger.imports.sources.base import Source
from actionledger.imports.sources.containers import opened
from actionledger.imports.sources.files import files_at
from actionledger.imports.sources.registry import recognised, sample_of

_IMPORT = """
import resource, sys
from pathlib import Path
import actionledger as al
al.import_path(sys.argv[1], sys.argv[2], workers=1)
used = resource.getrusage(resource.RUSAGE_SELF)
# What getrusage tells begins with what the process had that started this one.
[peak] = [line.split()[1] for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM:")]
print(used.ru_utime + used.ru_stime, peak)
"""


def formats_of(folder: Path) -> dict[Path, Source]:
    """Return each file that is recognised, with its format."""
    found = {}
    for path in (given.path for given in files_at([folder])):
        try:
            surest = recognised(sample_of(path))
        except SourceError:
            continue
        if surest:
            found[path] = surest[0].source
    return found


def unpacked_bytes(path: Path) -> int:
    """Return how long a file's content is, in bytes."""
    with opened(path, only_lines=False) as file:
        return sum(map(len, file))


def loads_each_line(path: Path) -> None:
    """Do what no reader of JSON lines can do without."""
    with opened(path, only_lines=False) as file:
        for line in file:
            try:
                json.loads(line)
            except ValueError:
                continue


def imported(folder: Path, ledger: Path) -> tuple[float, float]:
    """Import a folder in one process of its own; return its processor seconds, and its memory at most, in MB."""
    done = subprocess.run(
        [sys.executable, "-c", _IMPORT, folder, ledger], check=True, capture_output=True, text=True
    )
    seconds, kibibytes = done.stdout.split()
    return float(seconds), float(kibibytes) * 1024 / 1e6
