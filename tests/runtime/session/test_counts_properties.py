"""Whatever is done, undone, redone, decided and tried dry, in any order: the ledger counts what a simple model counts."""

from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

from effort import examples
from hypothesis import example, given, settings, strategies as st

import actionledger as al
from actionledger.core.errors import ActionError, UsageError
from actionledger.core.rates import Rate
from actionledger.core.vocabulary import DecisionKind
from actionledger.ledger.queries.funnel import funnel
from actionledger.runtime.execution.approval import Decision
from actionledger.runtime.session.decisions import decide, pending_approvals

STEPS = st.lists(
    st.sampled_from(
        [
            "do",
            "do two",
            "fail",
            "dry",
            "ask",
            "approve",
            "reject",
            "elsewhere",
            "undo",
            "undo one",
            "redo",
            "reopen",
        ]
    ),
    min_size=1,
    max_size=14,
)


class World:
    """A session and what it should have come to: statuses of tries, and which files are there."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.ledger = al.open_ledger(folder / "l.duckdb")
        self.session = al.Runtime("coder", ledger=self.ledger, workspace=folder / "w")
        self.tries: Counter[str] = Counter()
        self.files: dict[str, bool] = {}
        self.undone: list[tuple[object, list[str]]] = []
        self.asked: list[tuple[str, str]] = []
        self.turns: list[tuple[str, list[str]]] = []
        self.reversals = 0
        self.made = 0

    def name(self) -> str:
        self.made += 1
        return f"f{self.made}"

    def handle(self, names: list[str], status: str, *, auto: bool = True, dry: bool = False) -> str:
        text = "".join(
            f"<create_file><path>{name}</path><content>x</content></create_file>" for name in names
        )
        self.session.auto, self.session.dry_run = auto, dry
        turn = self.session.handle(text).turn_id
        self.tries[status] += len(names)
        return turn

    def step(self, what: str) -> None:
        getattr(self, what.replace(" ", "_"))()

    def do(self, count: int = 1) -> None:
        names = [self.name() for _ in range(count)]
        self.turns.append((self.handle(names, "succeeded"), names))
        self.files |= dict.fromkeys(names, True)

    def do_two(self) -> None:
        self.do(2)

    def fail(self) -> None:
        self.session.auto, self.session.dry_run = True, False
        # Another file each time: the same call once more is repetition, and stopped.
        path = self.name()
        self.session.handle(
            f"<modify_file><path>{path}</path><search>a</search><replace>b</replace></modify_file>"
        )
        self.tries["failed"] += 1

    def dry(self) -> None:
        self.handle([self.name()], "dry_run", dry=True)

    def ask(self) -> None:
        name = self.name()
        self.asked.append((self.handle([name], "pending", auto=False), name))

    def approve(self) -> None:
        self.decided(DecisionKind.APPROVED)

    def reject(self) -> None:
        self.decided(DecisionKind.REJECTED)

    def decided(self, decision: DecisionKind) -> None:
        if self.asked:
            turn, name = self.asked.pop()
            self.session.dry_run = False
            self.session.resume(turn, {0: Decision(decision, by="ada")})
            self.settled(turn, name, decision)

    def elsewhere(self) -> None:
        """Another ledger object, as another process has, decides; the session carries it out."""
        if self.asked:
            turn, name = self.asked.pop(0)
            with al.open_ledger(self.folder / "l.duckdb") as other:
                [approval] = [each for each in pending_approvals(other) if each.turn_id == turn]
                decide(other, approval.approval_id, Decision(DecisionKind.APPROVED, by="bob"))
            self.session.dry_run = False
            self.session.resume(turn)
            self.settled(turn, name, DecisionKind.APPROVED)

    def settled(self, turn: str, name: str, decision: DecisionKind) -> None:
        self.tries["succeeded" if decision is DecisionKind.APPROVED else "denied"] += 1
        if decision is DecisionKind.APPROVED:
            self.files[name] = True
            self.turns.append((turn, [name]))

    def undo(self) -> None:
        there = [(turn, [name for name in names if self.files[name]]) for turn, names in self.turns]
        there = [(turn, names) for turn, names in there if names]
        if there:
            turn, names = there[-1]
            self.taken_back(self.session.undo(turn), names)

    def undo_one(self) -> None:
        for turn, names in self.turns:
            if self.files[names[0]]:
                self.taken_back(self.session.undo(turn, action=0), names[:1])
                return

    def taken_back(self, undone: object, names: list[str]) -> None:
        self.files |= dict.fromkeys(names, False)
        self.undone.append((undone, names))
        self.reversals += len(names)

    def redo(self) -> None:
        if self.undone:
            undone, names = self.undone.pop()
            try:
                self.session.redo(undone)
            except (ActionError, UsageError):
                return
            self.files |= dict.fromkeys(names, True)
            self.reversals += len(names)

    def reopen(self) -> None:
        if not self.made:
            return  # nothing was recorded of it
        session_id = self.session.session_id
        self.session.close()
        self.session = al.Runtime.reopen(self.ledger, session_id)

    def check(self) -> None:
        counted = funnel(self.ledger)
        assert {str(status): count for status, count in counted.tries.items()} == dict(+self.tries)
        done = self.tries["succeeded"]
        assert counted.execution == Rate(done, done + self.tries["failed"])
        assert counted.taken_back == Rate(sum(not there for there in self.files.values()), done)
        on_disk = {path.name for path in (self.folder / "w").iterdir()}
        assert on_disk == {name for name, there in self.files.items() if there}
        assert self.ledger.sql("SELECT count(*) FROM reversals").fetchone() == (self.reversals,)


@settings(max_examples=examples(20))
@example(steps=["fail"] * 4)
@given(STEPS)
def test_the_ledger_counts_what_happened(steps: list[str]) -> None:
    """Tries by status, the execution rate, what was taken back, and the files themselves."""
    with TemporaryDirectory() as folder:
        world = World(Path(folder))
        try:
            for step in steps:
                world.step(step)
            world.check()
        finally:
            world.session.close()
            world.ledger.close()
