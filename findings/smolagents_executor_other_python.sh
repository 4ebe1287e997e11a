#!/usr/bin/env bash
# smolagents 1.26.0's default executor of code runs some ordinary Python to another result than Python does, and raises nothing.
#
# A CodeAgent's code runs in LocalPythonExecutor, which walks the syntax tree itself. What it doesn't know it mostly refuses
# ("NamedExpr is not supported"); five things it passes over: the `else` of a loop, decorators of functions and of methods, a star in a
# list, when a default argument is evaluated, and when a name in a lambda is looked up. The model is told the wrong value as its
# observation, and a recording of such a run shows a success. Python's own result stands beside each.
#
# Output seen on 2026-11-30, Python 3.11, Linux x86-64: the lines of `expected` below.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/look.py" <<'PY'
import ast
from importlib.metadata import version

from smolagents.local_python_executor import LocalPythonExecutor

SNIPPETS = {
    "else of a for loop": "r = []\nfor i in [1, 2]:\n    r.append(i)\nelse:\n    r.append('none left')\nr",
    "else of a while loop": "r = []\nwhile len(r) < 1:\n    r.append(1)\nelse:\n    r.append('none left')\nr",
    "decorator": "def plus_one(f):\n    def g(x):\n        return f(x) + 1\n    return g\n@plus_one\ndef double(x):\n    return x * 2\ndouble(3)",
    "property": "class A:\n    @property\n    def size(self):\n        return 3\ncallable(A().size)",
    "star in a list": "[*range(3), 'x']",
    "default, evaluated": "n = 1\ndef f(a=n):\n    return a\nn = 2\nf()",
    "default, kept": "def f(a=[]):\n    a.append(1)\n    return a\nf()\nf()",
    "lambda in a loop": "[f() for f in [lambda: i for i in range(3)]]",
}


def in_python(code: str) -> object:
    tree, names = ast.parse(code), {}
    last = tree.body.pop()
    exec(compile(tree, "snippet", "exec"), names)
    return eval(compile(ast.Expression(last.value), "snippet", "eval"), names)


print(f"smolagents {version('smolagents')}")
for what, code in SNIPPETS.items():
    executor = LocalPythonExecutor(additional_authorized_imports=[])
    executor.send_tools({})
    print(f"{what}: Python {in_python(code)!r}, smolagents {executor(code).output!r}")
PY

python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check smolagents==1.26.0
seen=$("$folder/env/bin/python" "$folder/look.py")
echo "$seen"
expected="smolagents 1.26.0
else of a for loop: Python [1, 2, 'none left'], smolagents [1, 2]
else of a while loop: Python [1, 'none left'], smolagents [1]
decorator: Python 7, smolagents 6
property: Python False, smolagents True
star in a list: Python [0, 1, 2, 'x'], smolagents [range(0, 3), 'x']
default, evaluated: Python 1, smolagents 2
default, kept: Python [1, 1], smolagents [1]
lambda in a loop: Python [2, 2, 2], smolagents [0, 1, 2]"
[[ $seen == "$expected" ]] || {
    echo "This has changed." >&2
    exit 1
}
