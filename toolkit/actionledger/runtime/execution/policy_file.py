"""Load policies from TOML files: one ``[[rule]]`` per row, first match applies.

[[rule]]
action = "execute_command"            # a glob over action names
when = { command = ["git", "diff"] }  # fields: a glob over the text, or the words that a command begins with
verdict = "approve"                   # approve, modify, reject or escalate
why = "It only reads."

[[rule]]
action = "create_task"
verdict = "modify"
set = { status = "pending" }          # for modify: the fields to be set

docs/policies.md describes how conditions are compared.
"""

import tomllib
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated, Protocol

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from actionledger.core.canonical import JsonDict
from actionledger.core.errors import PolicyError, require_kind
from actionledger.core.names import did_you_mean
from actionledger.core.vocabulary import Evidence
from actionledger.runtime.execution.approval import Policy, Rule, Verdict


class _Row(BaseModel):
    """One row as a file writes it."""

    model_config = ConfigDict(extra="forbid", strict=True)

    evidence: list[Annotated[Evidence, Field(strict=False)]] = []
    action: Annotated[str, Field(min_length=1)]
    verdict: str
    when: dict[str, str | list[str]] = {}
    set: JsonDict = {}
    why: str = ""


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    rule: list[JsonDict] = []


class KnownNames(Protocol):
    """The actions that rules may name: a catalogue, or tools given as JSON Schema."""

    @property
    def names(self) -> Sequence[str]:
        """The actions' names."""

    @property
    def parameters(self) -> Mapping[str, Sequence[str]]:
        """The field names of each action."""


def load_policy(path: str | Path, catalogue: KnownNames) -> Policy:
    """Load a policy from a file."""
    require_kind(path, str | Path, "A policy is the path of a file or a Policy")
    try:
        text = Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise PolicyError(str(path), f"{error.strerror}") from error
    except UnicodeDecodeError as error:
        raise PolicyError(str(path), "it is not UTF-8 text") from error
    return policy_from(text, catalogue, source=str(path))


def resolve_policy(policy: Policy | str | Path, catalogue: KnownNames) -> Policy:
    """Return a policy given as a value or as the path of its file."""
    return policy if isinstance(policy, Policy) else load_policy(policy, catalogue)


def policy_from(text: str, catalogue: KnownNames, *, source: str) -> Policy:
    """Parse a policy from the text of a file; see ``load_policy``."""
    try:
        rows = _File.model_validate(tomllib.loads(text)).rule
    except ValidationError as error:
        raise PolicyError(source, f"{_first(error)}; it holds [[rule]] tables and nothing else") from error
    except (ValueError, RecursionError) as error:
        raise PolicyError(source, f"it is not TOML: {error}") from error
    rules = []
    for number, row in enumerate(rows, start=1):
        try:
            rules.append(_rule(row, catalogue))
        except ValueError as error:
            raise PolicyError(source, f"in rule {number}, {error}") from error
    return Policy(tuple(rules))


def _rule(row: JsonDict, catalogue: KnownNames) -> Rule:
    try:
        read = _Row.model_validate(row)
    except ValidationError as error:
        raise ValueError(
            f"{_first(error)}; a rule has action, verdict, when, evidence, set and why"
        ) from error
    verdicts = [str(verdict) for verdict in Verdict]
    if read.verdict not in verdicts:
        raise ValueError(f"the verdict {read.verdict!r} is none{_near(read.verdict, verdicts)}")
    names = [name for name in catalogue.names if fnmatchcase(name, read.action)]
    if not names:
        raise ValueError(f"no action is called {read.action!r}{_near(read.action, catalogue.names)}")
    known = {field for name in names for field in catalogue.parameters[name]}
    for field in (*read.when, *read.set):
        if field not in known:
            raise ValueError(f"{read.action!r} has no field {field!r}{_near(field, sorted(known))}")
    verdict = Verdict(read.verdict)
    if (verdict is Verdict.MODIFY) != bool(read.set):
        raise ValueError("'set' belongs to the verdict 'modify', and 'modify' needs it")
    for field, each in read.when.items():
        # Reject words that no command can begin with: such a rule would seem to reject something.
        if not each:
            raise ValueError(f"when.{field} is empty; write a glob, or the words that a command begins with")
        for word in each if isinstance(each, list) else ():
            if not word or any(sign.isspace() for sign in word):
                raise ValueError(f"when.{field} holds {word!r}, which is not one word; write each word apart")
    when = {field: each if isinstance(each, str) else tuple(each) for field, each in read.when.items()}
    return Rule(read.action, verdict, when, read.set, read.why, tuple(read.evidence))


def _near(word: str, known: Sequence[str]) -> str:
    hint = did_you_mean(word, known)
    return f" ({hint})" if hint else f" (there are: {', '.join(known)})"


def _first(error: ValidationError) -> str:
    first = error.errors(include_url=False)[0]
    where = ".".join(map(str, first["loc"]))
    return f"{where}: {first['msg'][:1].lower()}{first['msg'][1:]}"
