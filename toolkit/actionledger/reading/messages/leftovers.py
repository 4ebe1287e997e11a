"""Calls in a message that nobody has read: the net below all that is known."""

from collections.abc import Collection, Iterator, Mapping

from actionledger.reading.messages.spellings import HOLDERS, OF_CALL, Json, is_call_like

_NOT_SEARCHED = frozenset(
    {"tools", "tool_choice", "tool_config", "functions", "messages", "instructions", "prompt"}
    | {"usage", "usage_metadata", "usageMetadata", "metrics", "metadata", "response_metadata", "logprobs"}
    | {"observation", "observations", "result", "results", "provider_details", "text_format"}
)
"""What stands beside calls in a message: definitions, prompts, counts, results."""

_DEEPEST = 30


def unread_calls(
    message: Json, handled: Collection[int], calls: Collection[int]
) -> Iterator[tuple[str, Json]]:
    """Yield what looks like a call and was taken for nothing, with its place as a JSON path without its root."""
    pending: list[tuple[tuple[str, ...], object]] = [((), message)]
    while pending:
        path, value = pending.pop()
        is_call = id(value) in calls
        if (id(value) in handled and not is_call) or len(path) > _DEEPEST:
            continue
        if isinstance(value, Mapping):
            if path and not is_call and (path[-1] in HOLDERS or is_call_like(value)):
                yield ".".join(path), value
            else:
                known = _NOT_SEARCHED | OF_CALL if is_call else _NOT_SEARCHED
                pending += [
                    ((*path, str(key)), item)
                    for key, item in reversed(list(value.items()))
                    if key not in known
                ]
        elif isinstance(value, list):
            pending += [((*path, str(place)), item) for place, item in reversed(list(enumerate(value)))]
