tree = {"name": "root", "children": [{"name": "a", "children": [{"name": "b", "children": []}]}, {"name": "c", "children": []}]}

def walk(node, depth=0):
    print("  " * depth + node["name"])
    for child in node["children"]:
        walk(child, depth + 1)

walk(tree)
