"""What a bare install lacks is said in one way: what needs it, which packages, and the extra that brings them."""

import re
from importlib.util import find_spec

from actionledger.core.errors import MissingPackageError


def missing(purpose: str, extra: str, *packages: str) -> MissingPackageError | None:
    """Return the error that names what a purpose lacks; None where it lacks nothing.

    Args:
        purpose: what needs the packages, as a sentence begins: ``"A data frame"``.
        extra: the extra that brings all of them.
        packages: their names as they are imported.
    """
    lacking = [re.sub("[_.]", "-", package) for package in packages if not is_there(package)]
    return MissingPackageError(purpose, lacking, extra) if lacking else None


def is_there(package: str) -> bool:
    """Return whether a package is installed.

    Args:
        package: its name as it is imported.
    """
    try:
        return find_spec(package) is not None
    except ModuleNotFoundError:  # not even what it is a part of
        return False


def require(purpose: str, extra: str, *packages: str) -> None:
    """Refuse what can't be done without packages that are not installed.

    Args:
        purpose: what needs the packages, as a sentence begins.
        extra: the extra that brings all of them.
        packages: their names as they are imported.

    Raises:
        MissingPackageError: one of them is not installed.
    """
    if (error := missing(purpose, extra, *packages)) is not None:
        raise error
