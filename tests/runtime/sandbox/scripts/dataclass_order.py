from dataclasses import dataclass, field


@dataclass(order=True)
class Item:
    priority: int
    name: str = field(compare=False)

items = sorted([Item(3, "low"), Item(1, "high"), Item(2, "mid")])
for item in items:
    print(item.priority, item.name)
