"""Where a message goes: down, unless its layer escalates or asks. Pure."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from actionledger.core.values import Observation
from actionledger.core.vocabulary import ExecutionStatus
from actionledger.profiles.orchestrator.layers import PERSON


class Route(NamedTuple):
    """Where a message goes, and what comes next.

    Args:
        to: who gets it: a layer, or the person.
        next_layer: which layer is asked next; None where all have had their say.
        waits_for: the numbers of the requests that a person has to answer before.
    """

    to: str
    next_layer: str | None
    waits_for: tuple[int, ...] = ()


def route(
    layers: Sequence[str],
    layer: str,
    observations: Sequence[Observation],
    *,
    is_to_be_corrected: bool = False,
) -> Route:
    """Return where a layer's message goes."""
    asked = tuple(_requests(observations))
    if asked:
        return Route(PERSON, layer, asked)
    if is_to_be_corrected:
        return Route(layer, layer)
    place = layers.index(layer)
    if place > 0 and any(each.name == "escalate" for each in _succeeded(observations)):
        return Route(layers[place - 1], layers[place - 1])
    if place + 1 < len(layers):
        return Route(layers[place + 1], layers[place + 1])
    return Route(PERSON, None)


def _requests(observations: Sequence[Observation]) -> Iterator[int]:
    """Yield the requests that the layer can't go on without; a review is none of them."""
    for each in _succeeded(observations):
        if (
            each.name in {"request_info", "escalate"}
            and isinstance(each.result, dict)
            and "request" in each.result
        ):
            yield each.result["request"]


def _succeeded(observations: Sequence[Observation]) -> Iterator[Observation]:
    return (each for each in observations if each.status is ExecutionStatus.SUCCEEDED)
