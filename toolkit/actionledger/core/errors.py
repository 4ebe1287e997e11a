"""The errors, by the audience that can act on them.

    ActionLedgerError                 every error that the toolkit raises on purpose
    ├── UsageError                    the developer: a call or a configuration that can't work
    │   ├── UnknownNameError          a profile, dialect, parser or action that doesn't exist; names those that do
    │   ├── RenderError               calls that a dialect has no way to write; says why
    │   └── MissingPackageError       a package of an extra that is not installed; names the extra
    ├── LedgerError                   the operator: a file, folder or disk that can't be used
    │   ├── NotALedgerError           the file is not a DuckDB database, or another program made it
    │   ├── NewerLedgerError          the ledger was written by a newer version of the toolkit
    │   ├── MemoryNeededError         a query needs more memory than its reader may use
    │   └── EventTooLargeError        one event is larger than the ledger's limit
    ├── SourceError                   the operator: an input file that can't be read at all
    ├── SandboxError                  the operator: nothing here can confine model-written code
    ├── PolicyError                   the operator: a policy file that can't be used; says which row and why
    ├── DecisionKeyError              the operator: a user's key for decisions can't be used; says why
    └── ActionError                   the model: an action that was understood but can't be done; carries a reason

A model's text never raises an error; it results in issues with a code and a span (see ``vocabulary.Reason``).
"""

import os
import re
from collections.abc import Collection, Iterable, Mapping
from importlib.util import find_spec
from pathlib import Path
from types import UnionType
from typing import TypeVar

Name = TypeVar("Name", bound=str)
Named = TypeVar("Named")


_LONGEST = 200
"""The number of characters that are quoted of another error's text."""


class ActionLedgerError(Exception):
    """The root of every error that the toolkit raises on purpose; its text is one sentence for people.

    Example:
        >>> try:
        ...     al.profile("codr")
        ... except al.ActionLedgerError as error:
        ...     print(str(error)[:51])
        There is no profile 'codr'. Did you mean 'coder'? K
    """


def in_words(error: BaseException) -> str:
    """Return a foreign error's type and text on one line."""
    try:
        said = " ".join(str(error).split())
    except Exception:  # noqa: BLE001 - it can't even say what it is
        said = ""
    kind = type(error).__name__
    return f"{kind}: {said}"[:_LONGEST] if said else kind


class UsageError(ActionLedgerError):
    """A call or a configuration that can't work."""


class UnknownNameError(UsageError):
    """An unknown name.

    Args:
        kind: the kind of the name, such as ``"profile"``.
        name: the unknown name.
        known: the names that exist.
    """

    def __init__(self, kind: str, name: object, known: Iterable[str]) -> None:
        names = sorted(known)
        from difflib import get_close_matches  # noqa: PLC0415 - slow to load, and for a mistake alone

        near = get_close_matches(str(name), names, n=1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        super().__init__(f"There is no {kind} {name!r}.{hint} Known: {', '.join(names)}.")


def called(name: object, kind: str, known: Mapping[Name, Named]) -> Named:
    """Return the value with a name; a name that is not among the known ones is an error that lists them."""
    found = known.get(name) if isinstance(name, str) else None  # type: ignore[arg-type]
    if found is None:
        raise UnknownNameError(kind, name, known)
    return found


def require_text(text: object) -> None:
    """Raise an error with a clear sentence if a value that should be a response or JSON text is not a text."""
    if not isinstance(text, str):
        how = "decode the bytes first" if isinstance(text, bytes | bytearray) else "give a str"
        raise UsageError(f"A text is asked for, not {text!r:.60} of the type {type(text).__name__}; {how}.")


def require_kind(given: object, kind: type | UnionType, asked: str) -> None:
    """Raise an error with a clear sentence if a value has another type than the expected one."""
    if not isinstance(given, kind):
        raise UsageError(f"{asked}, not {given!r:.60} of the type {type(given).__name__}.")


def require_path(what: str, given: object) -> None:
    """Raise an error with a clear sentence if a value is not a path."""
    require_kind(given, str | os.PathLike, f"{what} is a path, as a text or a Path")


def require_names(what: str, given: object) -> None:
    """Raise an error with a clear sentence if a value is not a list of names; a single text is not one."""
    if (what, given) == ("dialects", "auto"):
        raise UsageError("dialects is a list of names; every one of them is looked for by parser='auto'.")
    if isinstance(given, str):
        raise UsageError(f"{what} is a list of names; write [{given!r}].")
    require_kind(given, Collection, f"{what} is a list of names")
    for each in given:  # type: ignore[attr-defined]
        require_kind(each, str, f"{what} is a list of names; a name is a text")


def require_number(
    what: str,
    given: object,
    *,
    least: float | None = None,
    above: float | None = None,
    optional: bool = False,
) -> None:
    """Raise an error with a clear sentence if a value is not a number, is less than ``least`` or does not exceed ``above``."""
    if given is None and optional:
        return
    if not isinstance(given, int | float):
        raise UsageError(f"{what} is a number, not {given!r:.60} of the type {type(given).__name__}.")
    if least is not None and not given >= least:
        raise UsageError(f"{what} is {given}; it must be {least} or more.")
    if above is not None and not given > above:
        raise UsageError(f"{what} is {given}; it must be more than {above}.")


class RenderError(UsageError):
    """A dialect has no way to write these calls so that they parse to the same calls."""

    def __init__(self, dialect: str, calls: Iterable[str], why: str) -> None:
        names = ", ".join(map(repr, calls))
        super().__init__(
            f"The dialect {dialect!r} can't write {names}: {why}. Change that, or take another dialect."
        )
        self.dialect = dialect


class MissingPackageError(UsageError):
    """A package that is not part of a bare install."""

    def __init__(self, purpose: str, packages: Iterable[str], extra: str) -> None:
        names = " and ".join(packages)
        super().__init__(f"{purpose} needs {names}, not installed here: pip install 'actionledger[{extra}]'.")
        self.extra = extra


class LedgerError(ActionLedgerError):
    """A ledger's file, folder or disk that can't be used."""


class NotALedgerError(LedgerError):
    """The file is not a DuckDB database, or another program made it."""


class NewerLedgerError(LedgerError):
    """The ledger was written by a newer version of the toolkit."""


class MemoryNeededError(LedgerError):
    """A query needs more memory than its reader may use."""


class EventTooLargeError(LedgerError):
    """One event is larger than the ledger's limit."""


class SourceError(ActionLedgerError):
    """An input file that can't be read at all."""


class PolicyError(ActionLedgerError):
    """A policy file that can't be used."""

    def __init__(self, source: str, why: str) -> None:
        super().__init__(f"The policy file {source} can't be used: {why}.")


class SandboxError(ActionLedgerError):
    """Nothing here can confine model-written code, so it is not run."""


class DecisionKeyError(ActionLedgerError):
    """The key that signs a user's decisions can't be used."""

    def __init__(self, path: Path, why: str, remedy: str) -> None:
        super().__init__(f"The key for decisions {path} {why}: {remedy}.")
        self.why = f"the key for decisions {path} {why}"


class ActionError(ActionLedgerError):
    """An action that was understood but can't be done; the model gets the reason.

    Args:
        reason: a code of ``vocabulary.Reason``.
        message: one sentence for the model: the problem, and what would work.
        transient: whether nothing was done and the action is tried again, since it may work a moment later.
        result: the action's partial result, for the record; None if there is none.

    Example:
        >>> actions = al.ActionSet("mail")
        >>> @actions.action(example={"to": "ada@example.org"})
        ... def send_mail(to: str) -> None:
        ...     "Send a mail."
        ...     raise al.ActionError("not_found", f"There is no {to}; write to bob@example.org.")
        >>> mail = al.custom_profile("mail", actions=actions, dialects=["hermes"])
        >>> with al.Runtime(mail) as runtime:
        ...     turn = runtime.handle(al.render([("send_mail", {"to": "eve@example.org"})], "hermes"))
        >>> turn.observations[0].message
        'There is no eve@example.org; write to bob@example.org.'
    """

    def __init__(self, reason: str, message: str, *, transient: bool = False, result: object = None) -> None:
        super().__init__(message)
        self.reason = reason
        self.transient = transient
        self.result = result


def missing(purpose: str, extra: str, *packages: str) -> MissingPackageError | None:
    """Return the error that names the packages (by import name) that a purpose (``"A data frame"``) misses, with the extra that has them; None if none is missing."""
    lacking = [re.sub("[_.]", "-", package) for package in packages if not is_there(package)]
    return MissingPackageError(purpose, lacking, extra) if lacking else None


def is_there(package: str) -> bool:
    """Return whether a package is installed."""
    try:
        return find_spec(package) is not None
    except ModuleNotFoundError:  # its parent package is missing too
        return False


def require(purpose: str, extra: str, *packages: str) -> None:
    """Raise the error of ``missing`` if packages are missing."""
    if (error := missing(purpose, extra, *packages)) is not None:
        raise error
