"""Who plays which layer at what price, from what a command line says."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Self

from actionledger.core.errors import UnknownNameError, UsageError
from actionledger.profiles.orchestrator.casting import Layer, Price
from actionledger.profiles.orchestrator.layers import LAYERS, in_order
from actionledger.runtime.models import Model


@dataclass(frozen=True, slots=True)
class Cast:
    """Who plays which layer, by the names of models.

    Args:
        model: plays every layer that has no model of its own; None for nobody.
        models: the layers' own models, by the layer.
        price: what the responses of a layer cost that has no price of its own; None if unknown.
        prices: the layers' own prices, by the layer.
    """

    model: str | None
    models: Mapping[str, str]
    price: Price | None
    prices: Mapping[str, Price]

    @classmethod
    def read(cls, model: str | None, layers: Sequence[str], prices: Sequence[str]) -> Self:
        """Return what the options say."""
        for text in layers:
            if "=" not in text:
                raise UsageError(f"--layer is {text!r}; write it as NAME=SPEC, such as 2ic=ollama:qwen3.")
        own = [text for text in prices if "=" in text]
        common = [text for text in prices if "=" not in text]
        if len(common) > 1:
            raise UsageError(f"--price is given twice for all layers: {', '.join(common)}; give it once.")
        return cls(
            model=model,
            models=_by_layer("--layer", layers),
            price=_price(common[0]) if common else None,
            prices={layer: _price(text) for layer, text in _by_layer("--price", own).items()},
        )

    @property
    def specs(self) -> tuple[str, ...]:
        """The models' names."""
        return tuple(filter(None, (self.model, *self.models.values())))

    def layers(self, taking_part: Sequence[str] | None, opened: Callable[[str], Model]) -> list[Layer]:
        """Return the layers with their models."""
        names = taking_part or in_order(LAYERS if self.model else tuple(self.models))
        for option, given in (("--layer", self.models), ("--price", self.prices)):
            if idle := [name for name in given if name not in names]:
                raise UsageError(
                    f"{option} names {idle[0]!r}, which takes no part; who does: {', '.join(names)}."
                )
        return [
            Layer(name, opened(self._model_of(name)), self.prices.get(name, self.price)) for name in names
        ]

    def _model_of(self, layer: str) -> str:
        spec = self.models.get(layer, self.model)
        if spec is None:
            raise UsageError(
                f"No model plays the layer {layer!r}; give --model SPEC, or --layer {layer}=SPEC."
            )
        return spec


def _by_layer(option: str, texts: Sequence[str]) -> dict[str, str]:
    """Return what is given for each layer in texts ``NAME=VALUE``."""
    found: dict[str, str] = {}
    for text in texts:
        name, _, value = text.partition("=")
        if name not in LAYERS:
            raise UnknownNameError("layer", name, LAYERS)
        if name in found:
            raise UsageError(f"{option} is given twice for the layer {name!r}; give it once.")
        found[name] = value
    return found


def _price(text: str) -> Price:
    prompt, _, completion = text.partition("/")
    try:
        return Price(float(prompt), float(completion))
    except ValueError:
        raise UsageError(
            f"--price is {text!r}; write it as PROMPT/COMPLETION in dollars for a million tokens, such as 3/15."
        ) from None
