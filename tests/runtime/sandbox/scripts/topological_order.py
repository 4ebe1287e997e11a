depends = {"deploy": ["test", "build"], "test": ["build"], "build": []}
order = []

def visit(name):
    for other in depends[name]:
        visit(other)
    if name not in order:
        order.append(name)

for name in depends:
    visit(name)
for place, name in enumerate(order, 1):
    gb.create_task(name, notes=f"step {place}")
print(order)
