"""What a bare install lacks is said in one way: what needs it, which packages, and the extra that brings them."""

from importlib.util import find_spec

from actionledger.errors import MissingPackageError


def missing(purpose: str, extra: str, *packages: str) -> MissingPackageError | None:
    """Return the error that names what a purpose lacks; None where it lacks nothing.

    Args:
        purpose: what needs the packages, as a sentence begins: ``"A data frame"``.
        extra: the extra that brings all of them.
        packages: their names as they are imported.
    """
    lacking = [package.replace("_", "-") for package in packages if find_spec(package) is None]
    return MissingPackageError(purpose, lacking, extra) if lacking else None


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
