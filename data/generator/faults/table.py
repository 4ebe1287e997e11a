"""Every fault of ``tables/faults.toml``, and its injection into a response."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from functools import partial
from typing import Any

from generator.cast import rate
from generator.draw import NothingThereError
from generator.faults import acting, checking, fences, json_text, silent, unusual
from generator.reply import Reply
from generator.words import table

_TABLE = table("faults")
_FUNCTIONS = {
    name: function
    for module in (silent, checking, acting, unusual, json_text, fences)
    for name, function in vars(module).items()
}
KINDS: dict[str, str] = _TABLE["kinds"]
"""What each kind means, in the order in which faults are put in."""


@dataclass(frozen=True)
class Fault:
    """One thing that models do.

    Args:
        name: what it goes by.
        kind: what it does to a response.
        about: what it does, in one sentence.
        profiles: the profiles whose responses it happens in.
        per_mille: how often, per thousand responses of each model, in the order of ``cast.MODELS``.
        inject: changes a response in place; raises NothingThereError, with nothing changed, where the response
            offers no place for it.
    """

    name: str
    kind: str
    about: str
    profiles: tuple[str, ...]
    per_mille: tuple[float, ...]
    inject: Callable[[Reply], None]


def _fault(kind: str, name: str, row: dict[str, Any]) -> Fault:
    inject = _FUNCTIONS[row.get("by", name)]
    return Fault(
        name=name,
        kind=kind,
        about=row["about"],
        profiles=tuple(_TABLE["groups"][row["in"]]),
        per_mille=tuple(row["rates"]),
        inject=partial(inject, of=row["of"]) if "of" in row else inject,
    )


FAULTS = tuple(_fault(kind, name, row) for kind in KINDS for name, row in _TABLE[kind].items())


def inject(reply: Reply, model: str, day: date) -> list[Fault]:
    """Put faults into a response, at most one of each kind; a fault that finds no place is left out.

    Args:
        reply: the response; changed in place.
        model: the model that responds.
        day: when.

    Returns:
        The faults that were put in, in that order.
    """
    done: list[Fault] = []
    for kind in KINDS:
        rates = {
            fault: rate(fault.per_mille, fault.name, model, day)
            for fault in FAULTS
            if fault.kind == kind and reply.profile in fault.profiles
        }
        if reply.draw.chance(sum(rates.values())):
            fault = reply.draw.weighted(rates)
            with suppress(NothingThereError):
                fault.inject(reply)
                done.append(fault)
        if done and done[0].kind == "silent":
            break
    return done
