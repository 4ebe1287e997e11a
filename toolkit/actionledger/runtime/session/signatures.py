"""What shows that this user made a decision, and no program that an agent ran: a signature, made with a key that those can't read.

The key is a file of this user's state folder, made at its first use. What is signed is all that a decision says, what it is
about, and which ledger it was made in. That a decision was carried out is noted beside the key.
"""

import hashlib
import hmac
import json
import os
import secrets
import stat
from contextlib import suppress
from pathlib import Path

from actionledger.core.errors import DecisionKeyError
from actionledger.core.user_state import state_folder
from actionledger.core.values import Approval

_PURPOSE = "actionledger decision 1"
"""What is signed begins with it, so that no signature for another purpose or in another form is taken for one."""

_BYTES = 32
_CHARACTERS = 2 * _BYTES


def key_path() -> Path:
    """Return where this user's key is kept."""
    return state_folder() / "decisions.key"


def signing_key() -> bytes:
    """Return this user's key; one that isn't there is made."""
    path = key_path()
    try:
        if not path.is_symlink() and not path.exists():
            _make(path)
    except OSError as error:
        raise DecisionKeyError(
            path, f"can't be made ({error.strerror})", "make its folder writable"
        ) from error
    return known_key()


def known_key() -> bytes:
    """Return this user's key as it is."""
    path = key_path()
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        raise DecisionKeyError(path, "isn't there", "decide again, which makes one") from None
    except OSError as error:
        why = "is a symbolic link" if path.is_symlink() else f"can't be read ({error.strerror})"
        raise DecisionKeyError(path, why, _ANEW) from error
    try:
        _check_owner(path, os.fstat(descriptor))
        content = os.read(descriptor, 2 * _CHARACTERS)
    finally:
        os.close(descriptor)
    try:
        key = bytes.fromhex(content.decode())
    except ValueError:
        key = b""
    if len(content) != _CHARACTERS or len(key) != _BYTES:
        raise DecisionKeyError(path, "is damaged", _ANEW)
    return key


def signed(decided: Approval, ledger: Path, key: bytes) -> str:
    """Return the signature of a decision."""
    nonce = secrets.token_hex(16)
    return f"{nonce}:{_code(decided, ledger, nonce, key)}"


def is_signed(decided: Approval, ledger: Path, key: bytes) -> bool:
    """Return whether a recorded decision was signed with a key, as it stands, in this ledger."""
    nonce, _, code = decided.signature.partition(":")
    return hmac.compare_digest(code.encode(), _code(decided, ledger, nonce, key).encode())


def spend(signature: str) -> bool:
    """Note that a decision is carried out; return False where it was before."""
    path = state_folder() / "carried-out" / signature.partition(":")[0]
    try:
        path.parent.mkdir(mode=0o700, exist_ok=True)
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600))
    except FileExistsError:
        return False
    except OSError as error:
        why = f"can't be noted as used ({error.strerror})"
        raise DecisionKeyError(path, why, "make its folder writable") from error
    return True


_ANEW = "remove it, and decide again, which makes a new one"


def _make(path: Path) -> None:
    """Make a key where there is none; whoever else makes one at the same time may be first."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    fresh = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        try:
            os.write(descriptor, secrets.token_hex(_BYTES).encode())
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        # A link appears with all of its content or not at all, and replaces nothing.
        with suppress(FileExistsError):
            os.link(fresh, path)
    finally:
        fresh.unlink()


def _check_owner(path: Path, status: os.stat_result) -> None:
    """Refuse a key that somebody else may know."""
    if not stat.S_ISREG(status.st_mode):
        raise DecisionKeyError(path, "is no file", _ANEW)
    if status.st_uid != os.geteuid():
        raise DecisionKeyError(path, "belongs to another user", _ANEW)
    if status.st_mode & 0o077:
        mode = stat.S_IMODE(status.st_mode)
        raise DecisionKeyError(path, f"is open to other users (mode {mode:04o}), who may have read it", _ANEW)


def _code(decided: Approval, ledger: Path, nonce: str, key: bytes) -> str:
    said = (
        _PURPOSE,
        nonce,
        os.fspath(ledger),
        decided.approval_id,
        decided.session_id,
        decided.turn_id,
        decided.action_index,
        decided.name,
        decided.decided_hash,
        decided.decision,
        decided.changed_arguments,
        decided.decided_by,
        decided.why,
        decided.decided_at.isoformat() if decided.decided_at else "",
    )
    return hmac.new(key, json.dumps(said).encode(), hashlib.sha256).hexdigest()
