"""What it costs to have file actions confined, journaled and undoable: beside plain calls, taken in the same run.

    python tests/benchmarks/workspace.py

A turn is ten file actions: four files written, three changed, a folder made, a file moved, a file deleted. Times are the
median of many turns. By hand there is no check of the path, no journal, no atomic replacement and no undo.
"""

import os
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from actionledger.runtime.workspace import Edit, Files, Workspace, belonging_to

TURNS = 40
TEXT = "".join(f"line {number} of some source code\n" for number in range(60))


def by_workspace(files: Files) -> None:
    """Do the ten actions through a workspace."""
    for number in range(4):
        files.write(f"src/file{number}.py", TEXT)
    for number in range(3):
        files.edit(f"src/file{number}.py", [Edit("line 30", "line thirty")])
    files.make_directory("src/reports")
    files.move("src/file0.py", "src/reports/moved.py", overwrite=True)
    files.delete("src/file3.py")


def by_hand(root: Path, *, is_durable: bool) -> None:
    """Do the ten actions with plain calls."""
    (root / "src").mkdir(exist_ok=True)
    for number in range(4):
        _write(root / f"src/file{number}.py", TEXT, is_durable=is_durable)
    for number in range(3):
        path = root / f"src/file{number}.py"
        _write(path, path.read_text().replace("line 30", "line thirty", 1), is_durable=is_durable)
    (root / "src/reports").mkdir(exist_ok=True)
    (root / "src/file0.py").rename(root / "src/reports/moved.py")
    (root / "src/file3.py").unlink()


def _write(path: Path, text: str, *, is_durable: bool) -> None:
    with path.open("w") as file:
        file.write(text)
        if is_durable:
            file.flush()
            os.fsync(file.fileno())


def median(turn: Callable[[int], object]) -> float:
    """Return the median time of a turn, in milliseconds."""
    times = []
    for number in range(TURNS):
        begin = time.perf_counter()
        turn(number)
        times.append(time.perf_counter() - begin)
    return statistics.median(times) * 1000


def acted(workspace: Workspace, number: int) -> None:
    """Do one turn whose actions can be undone by name."""
    with belonging_to(turn=f"{number}", action=f"{number}"):
        by_workspace(workspace)


def main() -> None:
    """Print what a turn takes, each way."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for name in ("hand", "synced"):
            (root / name).mkdir()
        temporary, kept = Workspace(root / "temporary"), Workspace(root / "kept", state=root / "state")
        rows = {
            "by hand, plain open and write": median(lambda _: by_hand(root / "hand", is_durable=False)),
            "by hand, each file synced to disk": median(lambda _: by_hand(root / "synced", is_durable=True)),
            "dry run": median(lambda _: by_workspace(kept.dry_run())),
            "workspace, temporary journal": median(lambda number: acted(temporary, number)),
            "workspace, kept journal (survives a power loss)": median(lambda number: acted(kept, number)),
            "undoing a turn": median(lambda number: kept.undo_turn(f"{TURNS - 1 - number}")),
        }
        plain = rows["by hand, plain open and write"]
        for name, milliseconds in rows.items():
            print(f"{name:<50} {milliseconds:8.2f} ms a turn  {milliseconds / plain:6.1f} times plain")


if __name__ == "__main__":
    main()
