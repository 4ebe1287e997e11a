from dataclasses import asdict, dataclass


@dataclass
class Row:
    name: str
    hours: float = 0.0

rows = [Row("a", 1.5), Row("b")]
print([asdict(row) for row in rows])
