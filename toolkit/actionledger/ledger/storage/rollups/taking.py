"""What responses of a part took, and since when there are some: what a usage and what was new when are made of."""

_TOKENS = ("input_tokens", "output_tokens", "cached_tokens", "cache_write_tokens", "reasoning_tokens")

RECORDED = (*_TOKENS, "cost_usd", "cost_origin", "latency_ms")
"""What ``turn_starts`` has of what a response took."""

SUMS = {
    "received": ("INTEGER", "count(*)"),
    "counted": ("INTEGER", "count(coalesce(input_tokens, output_tokens))"),
    **{name: ("BIGINT", f"sum({name})::BIGINT") for name in _TOKENS},
    "priced": ("INTEGER", "count(cost_usd)"),
    "cost_usd": ("DOUBLE", "sum(cost_usd ORDER BY cost_usd)"),
    "by_prices": ("INTEGER", "count(cost_usd) FILTER (cost_origin <> 'recorded')"),
    "by_prices_usd": ("DOUBLE", "sum(cost_usd ORDER BY cost_usd) FILTER (cost_origin <> 'recorded')"),
    "latencies": ("DOUBLE[]", "list(latency_ms ORDER BY latency_ms) FILTER (latency_ms IS NOT NULL)"),
}
"""What is kept of the responses of a part: the type and the aggregate of each, over ``turn_starts``. Sums are NULL where nothing is recorded,
which takes no room, and are made in one order, so that they come out the same when they are made again."""

COLUMNS = {"first_at": "TIMESTAMP", "parser": "VARCHAR", "tools": "VARCHAR", "prompt": "VARCHAR"} | {
    name: kind for name, (kind, _) in SUMS.items()
}
"""The columns of a part beside its kind."""

OF_ATTEMPT = "parser_name || ' ' || left(parser_id, 8)"
OF_TURN = "left(tools_hash, 12)"
OF_SESSION = "left(md5(metadata->>'$.system'), 12)"
"""What a response's parser, tools and instructions go by, as SQL of ``parse_attempts``, ``turn_starts`` and ``session_starts``."""

TURNS = f"""
SELECT turn_id, session_id AS turn_session, profile AS turn_profile, model AS turn_model, task AS turn_task, tools_hash,
       {", ".join(RECORDED)}
FROM turn_starts"""
"""What is asked of a reading's turn, as SQL."""

IS_OF_TURN = (
    "(session_id = turn_session AND profile IS NOT DISTINCT FROM turn_profile "
    "AND model IS NOT DISTINCT FROM turn_model AND task IS NOT DISTINCT FROM turn_task) IS true"
)
"""Whether a reading is filed as its turn is, as SQL."""

OF_ATTEMPTS = f"""
SELECT part, of_session, min(of_time) AS first_at, any_value(of_parser) AS parser, any_value(of_tools) AS tools,
       {", ".join(f"{aggregate} AS {name}" for name, (_, aggregate) in SUMS.items())}
FROM rolling_attempts GROUP BY part, of_session"""
"""What is kept of each part beside its kind, but for its session's instructions, as SQL."""
