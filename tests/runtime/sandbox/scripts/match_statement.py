def describe(command):
    match command.split():
        case ["add", item]:
            return f"adding {item}"
        case ["remove", *items]:
            return f"removing {len(items)} items"
        case _:
            return "unknown"

print([describe(c) for c in ("add milk", "remove a b c", "jump")])
