"""How a format writes a call whose parameters are tags: the patterns of its tags, made once from what they look like."""

import re
from collections.abc import Mapping
from types import MappingProxyType

from actionledger.reading.dialects.parts.value_marks import MarkGrammar


class TagGrammar:
    """How a format writes a call.

    Args:
        call: what opens a call, as a pattern with the group ``name``; where a group ``whole`` matches as well, the tag closes
            itself.
        stem: how every parameter begins, as text.
        parameter: what opens a parameter, as a pattern with the group ``key``; a group ``string`` that says
            ``false``, or a group ``json`` with anything in it, makes its value JSON.
        parameter_closes: what closes one.
        value_opens: where each value has a tag of its own behind the parameter's name, that tag.
        call_closes: what closes the call.
        tail: what follows the closing tag of every call.
        groups: the tags that open a group of calls, each with the one that closes it.
        line_breaks: whether a value stands on lines of its own, so that the breaks around it are not part of it.
        holds_json: whether an object may stand in place of the parameters.
        is_xml: whether values are XML, with its escapes and its sections of text that is taken as it is.
        spellings: for a closing tag, another one that models write in its place.
    """

    def __init__(
        self,
        *,
        call: str,
        stem: str,
        parameter: str,
        parameter_closes: str,
        call_closes: str,
        value_opens: str = "",
        tail: str = "",
        groups: Mapping[str, str] = MappingProxyType({}),
        line_breaks: bool = False,
        holds_json: bool = False,
        is_xml: bool = False,
        spellings: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        def closing(tag: str) -> str:
            return "|".join(map(re.escape, filter(None, (tag, spellings.get(tag)))))

        ends, closes = f"(?:{closing(parameter_closes)})", f"(?:{closing(call_closes)})"
        next_call = rf"(?:(?:{'|'.join(map(re.escape, groups))})\s*+)?{call}" if groups else call
        after_call = "|".join(
            [r"\Z", _anonymous(next_call), *(re.escape(tag) for tag in (tail, *groups.values()) if tag)]
        )
        self.stem, self.groups, self.line_breaks = stem, groups, line_breaks
        self.is_xml, self.spellings = is_xml, spellings
        self.parameter_closes, self.call_closes, self.tail = parameter_closes, call_closes, tail
        self.call = re.compile(call)
        self.next_call = re.compile(next_call)
        self.parameter = re.compile(parameter)
        self.next_parameter = re.compile(rf"\s*+{parameter}")
        key = parameter.removesuffix(re.escape(value_opens))
        without_tag = rf"{key}(?=[^<\s])" if value_opens else "(?!)"
        self.value_opens, self.bare_parameter = value_opens, re.compile(rf"\s*+{without_tag}")
        self.parameter_close = re.compile(ends)
        like_one = rf"{re.escape(stem.rstrip('=>'))}\b[^<>]*+(?<!/)>"
        tags = re.compile(rf"(?P<closes>{ends})|{parameter}|{like_one}")
        self.marks = MarkGrammar(tags, parameter_closes, spellings.get(parameter_closes, ""), parameter)
        self.call_close = re.compile(closes)
        self.closes = re.compile(rf"\s*+{closes}")
        goes_on = "|".join((_anonymous(parameter), closes, _anonymous(without_tag)))
        self.fitting_close = re.compile(rf"{ends}(?=\s*+(?:{goes_on}))")
        self.bare_close = re.compile(rf"{closes}(?=\s*+(?:{after_call}))")
        spelt = "".join(
            rf"|<{re.escape(tag[2:-1])}\b" for closer, tag in spellings.items() if closer == call_closes
        )
        self.brackets = re.compile(rf"(?P<closes>{closes})|{call}{spelt}")
        self.nesting = re.compile(
            rf"(?P<closes_parameter>{ends})|(?P<closes_call>{closes})"
            rf"|(?P<opens_parameter>{_anonymous(parameter)})|(?P<opens_call>{_anonymous(call)})"
        )
        self.follows = (stem, *filter(None, (call_closes, spellings.get(call_closes), "{" * holds_json)))
        self.object = re.compile(r"\s*+(?=\{)" if holds_json else "(?!)")


def _anonymous(pattern: str) -> str:
    return re.sub(r"\(\?P<\w+>", "(?:", pattern)
