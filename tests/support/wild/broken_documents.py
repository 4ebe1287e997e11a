r"""Documents in the shapes of known formats, with texts of all kinds: code, prose, paths, queries, patterns."""

from typing import Any

DOCUMENTS: tuple[Any, ...] = (
    {
        "name": "left-pad",
        "version": "1.3.0",
        "private": True,
        "scripts": {"test": "node test.js", "lint": "eslint . --fix"},
        "keywords": ["pad", "string"],
        "license": None,
    },
    {
        "compilerOptions": {
            "target": "es2022",
            "strict": True,
            "paths": {"@/*": ["src/*"]},
            "outDir": "dist",
        },
        "include": ["src"],
        "exclude": ["node_modules", "dist"],
    },
    {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": "web", "labels": {"app": "web", "tier": "front"}},
        "spec": {"ports": [{"port": 80, "targetPort": 8080}], "type": "ClusterIP"},
    },
    {
        "type": "Feature",
        "geometry": {"type": "Point", "coordinates": [13.404954, 52.520008]},
        "properties": {"name": "Berlin", "population": 3755251, "capital": True},
    },
    {
        "openapi": "3.1.0",
        "info": {"title": "Pets", "version": "1"},
        "paths": {
            "/pets": {
                "get": {"summary": "List pets, newest first", "responses": {"200": {"description": "OK"}}}
            }
        },
    },
    {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": {
            "age": {"type": "integer", "minimum": 0},
            "tags": {"type": "array", "items": {"type": "string"}},
        },
        "required": ["age"],
    },
    {
        "model": "small",
        "messages": [
            {"role": "user", "content": "What's the weather in Paris, France?"},
            {"role": "assistant", "content": "It is sunny."},
        ],
        "temperature": 0.7,
        "stream": False,
        "max_tokens": 256,
    },
    {
        "path": "src/main.py",
        "content": 'import sys\n\n\ndef main():\n    print("hello", sys.argv[1:])\n    return {"ok": True}\n\n\nmain()\n',
    },
    {
        "file": "index.html",
        "text": '<a href="https://example.org/?a=1&b=2" class="link">Click, please</a>\n<p>It\'s fine.</p>',
    },
    {"command": 'grep -rn "TODO" src/ | head -5', "timeout": 30, "cwd": "/home/me/work"},
    {
        "query": "SELECT id, name FROM users WHERE name = 'O''Brien' AND age > 30 ORDER BY id",
        "params": [],
        "limit": 10,
    },
    {"pattern": "^\\d{3}-\\d{4}$", "flags": "im", "path": "C:\\Users\\me\\notes.txt"},
    {
        "title": 'He said "no"',
        "body": 'Then, she left: "why?" he asked.',
        "tags": ["a, b", "c: d"],
        "draft": False,
    },
    {
        "text": "Dear Ms Lee,\n\nThe meeting is at 10:30, in room {B}.\n\nBest,\nTom",
        "to": ["lee@example.org", "kim@example.org"],
        "priority": 1,
        "cc": None,
    },
    {"old": "const a = { b: 1, c: [2, 3] };", "new": 'const a = { b: 1, c: [2, 3], d: "4" };', "count": 1},
    {
        "event": "purchase",
        "user": {"id": 12345, "name": "Zoë Müller", "email": "zoe@example.org"},
        "items": [{"sku": "A-1", "qty": 2, "price": 9.99}, {"sku": "B-7", "qty": 1, "price": 0.5}],
        "total": 20.48,
        "paid": True,
        "coupon": None,
    },
    {"city": "Oslo", "days": 3, "units": "metric"},
    {"numbers": [1, 2, 3, -4, 1500000, 0.25], "flags": [True, False, None], "names": ["a", "b", "c"]},
    {"a": {"b": {"c": {"d": [{"e": 1}, {"e": 2}]}}}, "f": "g"},
    {
        "steps": [
            {"id": 1, "action": "open", "args": {"url": "https://example.org/a,b?q=1:2"}},
            {"id": 2, "action": "click", "args": {"selector": "#go > a[href='x']"}},
        ],
        "retry": True,
    },
    {
        "question": "Is 5 > 3?",
        "options": ["yes", "no", "I don't know"],
        "answer": "yes",
        "why": "Because 5 - 3 = 2, and 2 > 0",
    },
    {
        "messages": [{"id": 1, "text": "你好，世界"}, {"id": 2, "text": "Grüße, Welt"}],
        "lang": "zh",
        "ok": True,
    },
    {
        "patch": '--- a/x.py\n+++ b/x.py\n@@ -1,2 +1,2 @@\n-x = {"a": 1}\n+x = {"a": 2}\n y = [1, 2]\n',
        "dry_run": False,
    },
    {
        "log": ["10:00:01 INFO start", '10:00:02 ERROR "db": timeout', "10:00:03 INFO end"],
        "level": "info",
        "lines": 3,
    },
    {
        "settings": {
            "editor.fontSize": 14,
            "editor.tabSize": 2,
            "files.exclude": {"**/.git": True, "**/*.pyc": True},
        },
        "extensions": ["ms-python.python", "charliermarsh.ruff"],
    },
    {
        "thought": "I need the file first; then I'll edit it.",
        "tool": "read_file",
        "input": {"path": "a/b.txt", "range": [1, 20]},
        "final": False,
    },
    [
        {"name": "Ann", "age": 31},
        {"name": "Bob", "age": 27, "note": 'said: "call me"'},
        {"name": "Cy", "age": None},
    ],
    {
        "recipe": "Pancakes",
        "ingredients": [{"item": "flour", "grams": 250}, {"item": "milk", "ml": 500}],
        "instructions": "Mix; wait 10 min. Fry until golden - don't burn!",
        "vegan": False,
    },
    {"code": 'for (let i = 0; i < 3; i++) {\n  console.log(`${i}: "x"`);\n}', "language": "js"},
    {"regex": '"([^"\\\\]|\\\\.)*"', "replace": "'$1'", "global": True},
    {
        "invoice": {
            "number": "2026-0042",
            "lines": [["Consulting", 8, 120.0], ["Travel", 1, 310.5]],
            "vat": 0.19,
        },
        "due": "2026-12-31T00:00:00Z",
    },
    {"csv": 'id,name\n1,"Smith, J"\n2,"Doe, A"\n', "header": True, "delimiter": ","},
    {"description": "A 6\" pipe, 3' long", "width": 6, "unit": "in"},
    {"markdown": '# Title\n\n- one\n- two\n\n```json\n{"a": 1}\n```\n', "slug": "title"},
    {"yaml": "key: value\nlist:\n  - a\n  - b: 'c'\n", "valid": True},
    {"empty": {}, "none": [], "text": "", "zero": 0, "nested": {"list": [[], [1]], "map": {"x": {}}}},
)
