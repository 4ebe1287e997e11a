"""Create environments for other versions of this package, one per content, in the user's cache.

The version must be trusted, because parsing runs its code. Its source is copied without a build, so creating the environment runs
none of it. It uses this Python's packages if it can be imported with them, which needs no network; otherwise its own are installed.
"""

import hashlib
import io
import os
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from email.parser import HeaderParser
from pathlib import Path
from signal import SIGKILL
from tempfile import mkdtemp

from actionledger.core.errors import UsageError, require_kind
from actionledger.core.files import cache_folder

_PLACES = ("toolkit", "src", ".")
_SHOWN = 400
_SECONDS = 300
_SECONDS_TO_INSTALL = 900
"""Limit for an installation in seconds, since a program that waits for a network or for input would never end."""
_PTH = "of_this_python.pth"
_UNREADABLE = (OSError, zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, NotImplementedError)
"""The errors on reading an archive that is cut, damaged, encrypted or compressed in an unknown way."""


@dataclass(frozen=True, slots=True)
class Version:
    """Another version of this package, ready to be started."""

    python: Path  # its Python interpreter
    key: str  # its identity: the hash of its content, or its commit
    label: str  # its key in display form


@dataclass(frozen=True, slots=True)
class _Content:
    """The files of a version, by their paths in the environment, and its requirements."""

    files: Mapping[str, bytes]
    needs: Sequence[str]
    label: str = ""

    @property
    def key(self) -> str:
        """The hash of the content, this Python, and the locations of its packages."""
        digest = hashlib.sha256(f"{sys.version}\n{sys.prefix}\n{_shared()}".encode())
        for name, content in sorted(self.files.items()):
            digest.update(f"\n{name}\n{len(content)}\n".encode() + content)
        return digest.hexdigest()[:16]


def environment_of(against: str) -> Version:
    """Return the environment of another version, creating it if missing."""
    require_kind(against, str, "Another version is a wheel, a folder or a commit, as a text")
    content = _content(against)
    folder = cache_folder() / "versions" / content.key
    if not folder.exists():
        _make(folder, content)
    return Version(folder / "bin" / "python", content.key, content.label or content.key[:8])


def _content(against: str) -> _Content:
    path = Path(against).expanduser()
    if path.suffix == ".whl" and path.is_file():
        try:
            with zipfile.ZipFile(path) as wheel:
                files = {name: wheel.read(name) for name in wheel.namelist() if not name.endswith("/")}
        except _UNREADABLE as error:
            raise UsageError(f"The wheel {str(path)!r} can't be read: {error}.") from error
        metadata = next((files[name] for name in files if name.endswith(".dist-info/METADATA")), b"")
        needs = HeaderParser().parsestr(metadata.decode("utf-8", "replace")).get_all("Requires-Dist") or []
        return _checked(files, [each for each in needs if "extra ==" not in each], str(path))
    if path.is_dir():
        return _of_folder(path)
    return _of_commit(against)


def _of_folder(path: Path) -> _Content:
    found = _package_in(lambda place: (path / place / "actionledger" / "__init__.py").is_file())
    if found is None:
        raise UsageError(f"The folder {str(path)!r} holds no source of actionledger.")
    root = path / found
    files = {
        file.relative_to(root).as_posix(): file.read_bytes()
        for file in sorted((root / "actionledger").rglob("*"))
        if file.is_file() and "__pycache__" not in file.parts
    }
    project = path / "pyproject.toml"
    return _checked(files, _needs(project.read_bytes() if project.is_file() else b""), str(path))


def _of_commit(name: str) -> _Content:
    commit = _git("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
    if commit is None:
        raise UsageError(
            f"{name!r} is not a wheel, a folder, or a commit, branch or tag of a repository in the current folder."
        )
    sha = commit.decode().strip()
    root = Path((_git("rev-parse", "--show-cdup") or b"").decode().strip())
    archive = _git(
        "archive", "--format=tar", sha, inside=root
    )  # in a folder it would belong to that folder alone
    if not archive:
        raise UsageError(f"git can't give out the files of the commit {name!r}; its repository isn't whole.")
    with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
        members = {member.name: member for member in tar.getmembers() if member.isfile()}
        found = _package_in(lambda place: f"{_under(place)}actionledger/__init__.py" in members)
        if found is None:
            raise UsageError(f"The commit {name!r} holds no source of actionledger.")
        prefix = _under(found)
        inside = {
            path: member for path, member in members.items() if path.startswith(f"{prefix}actionledger/")
        }
        files = {path.removeprefix(prefix): _bytes(tar, member) for path, member in inside.items()}
        project = members.get("pyproject.toml")
        needs = _needs(_bytes(tar, project) if project else b"")
    return _checked(files, needs, name, label=sha[:8])


def _checked(files: Mapping[str, bytes], needs: Sequence[str], origin: str, label: str = "") -> _Content:
    if "actionledger/__init__.py" not in files:
        raise UsageError(f"{origin!r} holds no package actionledger.")
    if strange := [name for name in files if name.startswith("/") or ".." in name.split("/")]:
        raise UsageError(f"{origin!r} holds the path {strange[0]!r}, which leads out of its environment.")
    return _Content(files, needs, label)


def _make(folder: Path, content: _Content) -> None:
    """Create an environment next to its place and move it there; a concurrent second process uses the first one's."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with _aside(folder) as made:
        _run(sys.executable, "-m", "venv", "--without-pip", str(made))
        packages = next(made.glob("lib/python*/site-packages"))
        for name, data in content.files.items():
            target = packages / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
        (packages / _PTH).write_text("\n".join(_shared()))
        if (fault := _fault(made)) is not None:
            if not content.needs:
                raise UsageError(f"The other version can't be imported: {fault}")
            (packages / _PTH).unlink()
            _install(made, content.needs)
        try:
            made.rename(folder)
        except OSError:
            if not folder.exists():
                raise


def _install(made: Path, needs: Sequence[str]) -> None:
    """Install a version's own packages if it doesn't work with those of this Python."""
    python = str(made / "bin" / "python")
    _run(
        sys.executable,
        "-m",
        "pip",
        "--python",
        python,
        "install",
        "--quiet",
        "--no-input",
        "--disable-pip-version-check",
        *needs,
        seconds=_SECONDS_TO_INSTALL,
    )
    if (fault := _fault(made)) is not None:
        raise UsageError(f"The other version can't be imported: {fault}")


def _fault(made: Path) -> str | None:
    """Return why a version can't be imported; None if it can."""
    words = [str(made / "bin" / "python"), "-I", "-c", "import actionledger; actionledger.parse"]
    done = _ended(words)
    return None if done.returncode == 0 else done.stderr.decode("utf-8", "replace").strip()[-_SHOWN:]


def _shared() -> list[str]:
    """Return this Python's package folders, without editable sources."""
    return [path for path in sys.path if Path(path).name in {"site-packages", "dist-packages"}]


def _needs(project: bytes) -> list[str]:
    try:
        return list(tomllib.loads(project.decode()).get("project", {}).get("dependencies", []))
    except (ValueError, RecursionError, AttributeError):
        return []


def _package_in(holds: Callable[[str], bool]) -> str | None:
    return next((place for place in _PLACES if holds(place)), None)


def _under(place: str) -> str:
    return "" if place == "." else f"{place}/"


def _bytes(tar: tarfile.TarFile, member: tarfile.TarInfo) -> bytes:
    file = tar.extractfile(member)
    return file.read() if file else b""


def _git(*words: str, inside: Path = Path()) -> bytes | None:
    """Return git's output in a folder; None if it fails or is not installed."""
    try:
        done = _ended(["git", *words], inside=inside)
    except OSError:
        return None
    return done.stdout if done.returncode == 0 else None


def _run(*words: str, seconds: float | None = None) -> None:
    done = _ended(words, seconds)
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip()[-_SHOWN:]
        raise UsageError(f"An environment for the other version can't be made: {said}")


def _ended(
    words: Sequence[str], seconds: float | None = None, inside: Path = Path()
) -> subprocess.CompletedProcess[bytes]:
    """Run a program to its end and return the result; on timeout, end it with all its child processes."""
    limit = seconds or _SECONDS
    with subprocess.Popen(  # noqa: S603 - fixed arguments
        words,
        cwd=inside,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    ) as process:
        try:
            said, errors = process.communicate(timeout=limit)
        except BaseException as error:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, SIGKILL)
            if isinstance(error, subprocess.TimeoutExpired):
                raise UsageError(
                    f"{' '.join(words)[:_SHOWN]!r} has not ended within {limit} seconds, and was stopped; "
                    "see whether it does by hand."
                ) from None
            raise
    return subprocess.CompletedProcess(words, process.returncode, said, errors)


@contextmanager
def _aside(folder: Path) -> Iterator[Path]:
    made = Path(mkdtemp(prefix=f"{folder.name}-", dir=folder.parent))
    try:
        yield made
    finally:
        shutil.rmtree(made, ignore_errors=True)
