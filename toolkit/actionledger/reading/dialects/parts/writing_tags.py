"""Calls with a tag for each parameter, written out: the other half of ``tagged_calls``."""

from collections.abc import Sequence
from dataclasses import dataclass

from actionledger.reading.dialects.parts.writing import PlainCall, raw_text


@dataclass(frozen=True, slots=True)
class TagForms:
    """How a format writes calls: templates for ``str.format``.

    Args:
        parameter: a parameter, from ``key``, ``value`` and ``string``, which says whether the value is a text.
        call: a call, from ``name`` and ``parameters``.
        group: all calls, from ``calls``.
        between: what stands between two calls.
        wraps: whether a value with a line break at one of its ends is put on lines of its own, where the break would be taken
            for layout otherwise.
    """

    parameter: str
    call: str
    group: str = "{calls}"
    between: str = "\n"
    wraps: bool = False

    def written(self, calls: Sequence[PlainCall]) -> str:
        """Return the text for calls."""
        return self.group.format(calls=self.between.join(map(self._call, calls)))

    def _call(self, call: PlainCall) -> str:
        parameters = (
            self.parameter.format(
                key=key, value=self._value(value), string="true" if isinstance(value, str) else "false"
            )
            for key, value in call.arguments.items()
        )
        return self.call.format(name=call.name, parameters="".join(parameters))

    def _value(self, value: object) -> str:
        text = raw_text(value)
        has_break = text.endswith("\n") or text.startswith(("\n", "\r\n"))
        return f"\n{text}\n" if self.wraps and has_break else text
