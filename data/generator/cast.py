"""Who takes part, when, and how often what goes wrong, as ``tables/cast.toml`` says."""

from datetime import UTC, date, datetime, time, timedelta

from generator.draw import Draw
from generator.words import table

_CAST = table("cast")
SEED: str = _CAST["seed"]
MODELS: list[str] = _CAST["models"]
SKILL: dict[str, float] = dict(zip(MODELS, _CAST["skill"], strict=True))
PROFILES: dict[str, float] = {profile: row["share"] for profile, row in _CAST["profiles"].items()}
LENGTHS: dict[str, dict[int, float]] = {
    profile: dict(enumerate(row["lengths"], start=1)) for profile, row in _CAST["profiles"].items()
}
"""How many turns a session of each profile has, and how often."""


def shares(day: date) -> dict[str, float]:
    """Return the weight of each model on a day."""
    weights = _CAST["later_shares" if day >= _CAST["later"] else "shares"]
    return dict(zip(MODELS, weights, strict=True))


def rate(per_mille: tuple[float, ...], fault: str, model: str, day: date) -> float:
    """Return how likely a fault is in one response.

    Args:
        per_mille: the usual rates, per thousand responses, in the order of ``MODELS``.
        fault: the fault's name.
        model: the model that responds.
        day: when.

    Returns:
        A probability, 0 to 1.
    """
    value = float(per_mille[MODELS.index(model)])
    for episode in _CAST["episodes"]:
        change = episode["faults"].get(fault)
        if change and model in episode["models"] and episode["first"] <= day <= episode["last"]:
            value = value * change.get("factor", 1) + change.get("add", 0)
    return value / 1000


def starts(draw: Draw) -> list[datetime]:
    """Return when each of the sessions begins, in order, UTC."""
    first = _CAST["first_day"]
    days = [first + timedelta(days=index) for index in range((_CAST["last_day"] - first).days + 1)]
    weights = {
        day: _CAST["weekdays"][day.weekday()] * (1 + _CAST["growth"] * index / len(days))
        for index, day in enumerate(days)
    }
    return sorted(_moment(draw, weights) for _ in range(_CAST["sessions"]))


def _moment(draw: Draw, weights: dict[date, float]) -> datetime:
    day = draw.weighted(weights)
    hour = draw.weighted(dict(enumerate(_CAST["hours"], start=6)))
    return datetime.combine(day, time(hour, draw.between(0, 59), draw.between(0, 59), tzinfo=UTC))
