"""Sessions as they happen: ordinary work that looks like repetition, and real loops.

A session is a list of turns, a turn a list of calls, and a call is its name, its arguments, and what came of it; ``failed`` and
``refused`` mark what went wrong. None for a turn is a person who asks for something.
"""

from collections.abc import Callable
from typing import Any, TypeAlias

Call: TypeAlias = tuple[str, Any, Any, str]
Session: TypeAlias = list[list[Call] | None]


def done(name: str, result: Any = "ok", **arguments: Any) -> Call:
    return name, arguments, result, "done"


def failed(name: str, error: str, **arguments: Any) -> Call:
    return name, arguments, error, "failed"


def refused(name: str, error: str, **arguments: Any) -> Call:
    return name, arguments, error, "refused"


def unread(text: str) -> Call:
    return "", text, "no_action_found", "refused"


def each(make: Callable[[int], list[Call] | Call], times: int) -> Session:
    """Return so many turns, each made for its number."""
    turns = map(make, range(1, times + 1))
    return [turn if isinstance(turn, list) else [turn] for turn in turns]


WRITTEN = "The file was written; it is as you gave it."
EDITED = "The file has been updated successfully."
RUNNING = {"status": "running"}
THOUGHTS = (
    "What do they want?",
    "They want the report by Friday.",
    "The numbers for May are missing.",
    "Ada has them, and she is away.",
    "So I ask Ben, who stands in for her.",
    "And I say that it may be Monday.",
)

ORDINARY: dict[str, Session] = {
    "ten tasks over two turns": [
        [done("create_task", {"id": n, "created": True}, title=f"Call supplier {n}") for n in numbers]
        for numbers in (range(1, 6), range(6, 11))
    ],
    "one task a turn": each(lambda n: done("create_task", {"created": True}, title=f"Call supplier {n}"), 10),
    "invoices": each(
        lambda n: done("create_invoice", {"saved": True}, number=f"2026-{n:03}", amount=100), 12
    ),
    "deleting what there is": each(lambda n: done("delete_task", {"deleted": True}, task_id=n), 9),
    "deleting in one long answer": each(
        lambda n: done("delete_task", {"status": "success", "message": "The task was deleted."}, task_id=n), 9
    ),
    "parts of a program": each(
        lambda n: done("create_file", WRITTEN, path=f"part_{n}.py", content="x = 1\n"), 10
    ),
    "chapters": each(
        lambda n: [
            done("think", "noted", thought=f"Now I write chapter {n} of the book."),
            done("write_file", WRITTEN, path=f"chapter_{n}.md", content=f"# Chapter {n}\n"),
        ],
        9,
    ),
    "reading many files": each(lambda n: done("read_file", "", path=f"src/empty_{n}.py"), 12),
    "the same edit in many files": each(
        lambda n: done("edit", EDITED, path=f"src/mod_{n}.py", old="import six\n", new=""), 14
    ),
    "many edits in one file": each(
        lambda n: done("edit", EDITED, path="main.go", old=f"case {n}:", new=f"case Kind{n}:"), 12
    ),
    "edit and test": each(
        lambda n: [
            done("edit", EDITED, path="lexer.py", old=f"line {n}", new=f"row {n}"),
            failed("run", "1 failed, 11 passed", command="pytest -q"),
        ],
        6,
    ),
    "test until it passes": each(
        lambda n: [
            done("edit", EDITED, path="a.py", old=str(n), new=str(n + 1)),
            done("run", f"{6 - n} failed", command="pytest -q"),
        ],
        6,
    ),
    "read again after each write": each(
        lambda n: [
            done("write_file", WRITTEN, path="log.txt", content=f"entry {n}"),
            done("read_file", "entries, more of them each time", path="log.txt"),
        ],
        7,
    ),
    "pages": each(lambda n: done("list_orders", {"orders": [n], "next": n + 1}, page=n), 12),
    "pages that are alike": each(lambda n: done("search", {"hits": []}, query="tax", page=n), 12),
    "the next page, by a cursor of its own": each(
        lambda n: done("next_page", f"page {n} of 12: some rows"), 12
    ),
    "scrolling": each(lambda n: done("scroll", f"lines {n * 40} to {n * 40 + 39}", direction="down"), 9),
    "a build that takes its time": [
        *each(lambda _: done("get_build_status", RUNNING, build=7), 15),
        [done("get_build_status", {"status": "passed"}, build=7)],
    ],
    "a command that asks whether it is done": [
        *each(
            lambda _: done(
                "run", "The deployment is still in progress.", command="kubectl rollout status web"
            ),
            12,
        ),
        [done("run", "The deployment is complete.", command="kubectl rollout status web")],
    ],
    "sleeping between two looks": each(
        lambda n: [
            done("bash", "", command="sleep 30"),
            done("bash", "queued" if n < 10 else "done", command="gh run view 7 --json status"),
        ],
        10,
    ),
    "progress in percent": each(lambda n: done("job_progress", f"{n * 10} % done", job="j-1"), 10),
    "a queue that gets shorter": each(lambda n: done("queue_position", {"position": 12 - n}, ticket=9), 11),
    "trying again after a time-out": [
        *each(lambda _: failed("fetch", "It timed out after 30 s.", url="https://example.org/data"), 4),
        [done("fetch", "the data", url="https://example.org/data")],
    ],
    "trying again when it is overloaded": [
        *each(
            lambda n: failed("fetch", f"503: overloaded, try again in {n} s", url="https://example.org"), 6
        ),
        [done("fetch", "the data", url="https://example.org")],
    ],
    "files of which most are not there": each(
        lambda n: failed("read_file", f"There is no file config_{n}.toml.", path=f"config_{n}.toml"), 8
    ),
    "a closed door for each of many": each(
        lambda n: failed("delete_file", "Permission denied.", path=f"/etc/{n}"), 9
    ),
    "one record from start to end": [
        [done("create_note", {"id": 1}, text="x")],
        [done("get_note", {"id": 1, "text": "x"}, note_id=1)],
        [done("update_note", {"updated": True}, note_id=1, text="y")],
        [done("get_note", {"id": 1, "text": "y"}, note_id=1)],
        [done("delete_note", {"deleted": True}, note_id=1)],
        [failed("get_note", "There is no note 1.", note_id=1)],
    ],
    "many records from start to end": each(
        lambda n: [
            done("create_note", {"id": n}, text=f"note {n}"),
            done("update_note", {"updated": True}, note_id=n, state="final"),
            done("get_note", {"state": "final"}, note_id=n),
        ],
        8,
    ),
    "thank you, thank you": [
        turn for _ in range(9) for turn in (None, [done("speak", "You are welcome!", context="Be kind.")])
    ],
    "the same question from a person": [
        turn for _ in range(9) for turn in (None, [done("get_weather", {"sky": "clear"}, place="Paris")])
    ],
    "mails to many": each(
        lambda n: done("send_mail", {"sent": True}, to=f"guest{n}@example.org", text="Welcome!"), 15
    ),
    "a table row by row": each(
        lambda n: done("insert_row", {"inserted": 1}, table="prices", row={"sku": f"A-{n}", "price": 9.99}),
        20,
    ),
    "thinking something through": each(
        lambda n: done("think", "Your thought was noted.", thought=THOUGHTS[n - 1]), len(THOUGHTS)
    ),
    "steps of a thought by number": each(
        lambda n: done("think", "noted", thought=f"Step {n} is done, I go on with the next one."), 8
    ),
    "status after each commit": each(
        lambda n: [
            done("run", f"[main 12ab3{n}f] part {n}", command=f"git commit -am 'part {n}'"),
            done("run", "nothing to commit, working tree clean", command="git status"),
        ],
        8,
    ),
    "folders": each(lambda n: done("create_directory", {"created": True}, path=f"data/2026-{n:02}"), 12),
    "renaming": each(lambda n: done("run", "", command=f"mv img_{n}.jpeg img_{n}.jpg"), 12),
    "searching for many words": each(lambda n: done("grep", "No matches found", pattern=f"TODO({n})"), 9),
    "approving requests": each(lambda n: done("approve", {"ok": True}, request_id=n, decision="yes"), 9),
    "answering messages": each(lambda n: done("archive", {"ok": True}, message_id=n, folder="inbox"), 9),
    "two looks at two places, once more after a change": [
        [done("list_files", "a b", path="x"), done("list_files", "c", path="y")],
        [done("run", "", command="make")],
        [done("list_files", "a b", path="x"), done("list_files", "c", path="y")],
        [done("run", "", command="make clean")],
        [done("list_files", "a b", path="x"), done("list_files", "c", path="y")],
    ],
    "indenting rightly": each(
        lambda n: failed("run_python", "IndentationError", code="if a:\n" + " " * n + "b = 1\nprint(b)"), 6
    ),
}

LOOPS: dict[str, Session] = {
    "the same look": each(lambda _: done("list_tasks", {"tasks": [1, 2]}), 6),
    "the same task made again, with a new number": each(
        lambda n: done("create_task", {"id": n, "created_at": f"2026-05-04T12:00:{n:02}"}, title="Call Ada"),
        6,
    ),
    "the same task made again, and it waits": each(
        lambda n: done("create_task", {"id": n, "status": "pending"}, title="Call Ada"), 6
    ),
    "the same call with a new call id": each(
        lambda n: done("search", "nothing", query="tax", call_id=f"c{n}"), 6
    ),
    "the same failure": each(lambda _: failed("read_file", "There is no file a.txt.", path="a.txt"), 6),
    "the same failure, other blanks": each(
        lambda n: failed("sql", f"syntax error at line {n}", query="select" + " " * n + "a from b"), 6
    ),
    "the same failure, other action ids": each(
        lambda n: failed("delete", "no such thing", action_id=f"a-{n}", what="x"), 6
    ),
    "to and fro": each(lambda n: done("open" if n % 2 else "close", {"door": n % 2}, door="front"), 10),
    "to and fro within turns": each(
        lambda _: [done("list_files", "a b", path="."), done("read_file", "text", path="a")], 5
    ),
    "in a circle of three": each(lambda n: done(f"{'abc'[n % 3]}_look", f"{'abc'[n % 3]} is there"), 12),
    "an edit and its reverse, and the test": each(
        lambda n: [
            done("edit", EDITED, path="a.py", old="ab"[n % 2], new="ba"[n % 2]),
            done("run", "1 failed", command="pytest"),
        ],
        8,
    ),
    "the same file written again": each(lambda _: done("write_file", WRITTEN, path="a", content="x"), 6),
    "the same thought": each(lambda _: done("think", "noted", thought="I have to find the file first."), 7),
    "nearly the same thought": each(
        lambda n: done("think", "noted", thought=f"I have to find the file first{'.!?…,;:'[n - 1]}"), 7
    ),
    "an action that there is not": each(
        lambda n: refused("fly", "There is no action 'fly'.", to=f"place {n}"), 8
    ),
    "the same missing field": each(lambda n: refused("add", "content: missing", title=f"task {n}"), 8),
    "the same words without an action": each(lambda _: unread("I am going to do it now."), 7),
    "a command whose output has the time": each(
        lambda n: done("run", f"12:00:{n:02} all is as it was", command="./report"), 6
    ),
    "a host that stays away": each(lambda _: failed("ping", "connection refused", host="db"), 10),
    "a build that never ends": each(lambda _: done("get_build_status", RUNNING, build=7), 40),
}
