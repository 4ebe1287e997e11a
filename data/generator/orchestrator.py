"""Sessions of the orchestrator: layers of a made-up company pass a directive down and emit actions."""

from generator.actions import Action
from generator.draw import Draw
from generator.reply import Block, Part, Prose, Reply, spread
from generator.voice import Voice
from generator.words import bank
from generator.world import World
from generator.writing import written

_LAYERS = ("2ic", "eng-lead", "team-lead")
_AREAS = ("Backend", "Frontend", "Infra", "Docs", "QA")
_LATER = ("request_info", "escalate", "request_review", "update_plan")


class Orchestrator(World):
    """A directive on its way through the layers."""

    profile = "orchestrator"

    def __init__(self, draw: Draw, length: int) -> None:
        super().__init__(draw, Voice(draw, bank("orchestrator")), length)
        self.voice.fix("feature")
        feature = self.voice.fixed["feature"].replace("-", " ")
        self.voice.fixed |= {
            "second": draw.pick([name for name in bank("orchestrator")["feature"] if name != feature]),
            "snake": feature.replace(" ", "_"),
            "kebab": feature.replace(" ", "-"),
        }
        self.voice.fix("repo")
        self.task = self.voice.fixed["repo"]
        self._issue = draw.between(40, 900)
        self.voice.fixed["batch"] = f"cheenoski-{draw.between(0, 4)}"
        self.more = lambda: self._action("request_info")

    def ask(self) -> str:
        return self.voice.line("directive")

    def compose(self) -> Reply:
        layer = self._layer()
        self.step += 1
        groups = self._groups(layer)
        before = self.prose(f"opener_{layer}", 0.95) + self.prose("aside", 0.45) + self.prose("aside", 0.12)
        blocks = [
            Block("json", actions[0] if len(actions) == 1 else actions, self.dumps) for actions in groups
        ]
        parts = before + spread(blocks, self.voice, 0.7)
        return self.reply([*parts, *self._config(), *self.prose("closer", 0.5)])

    def follow_up(self) -> str:
        return f"Next layer: {self._layer()}." if self.step < len(_LAYERS) else ""

    def _layer(self) -> str:
        return _LAYERS[self.step] if self.step < len(_LAYERS) else "later"

    def _groups(self, layer: str) -> list[list[Action]]:
        """Return the layer's actions by block."""
        if layer == "later":
            actions = [self._action(self.draw.pick(_LATER))]
        elif layer == "2ic":
            actions = [self._action("update_plan"), *self._maybe("request_info", 0.3)]
        elif layer == "eng-lead":
            actions = [self._action("create_branch"), *self._maybe("update_plan", 0.6)]
        else:
            actions = [self._issues(), self._action("invoke_cheenoski")]
        return [actions] if len(actions) > 1 and self.draw.chance(0.3) else [[action] for action in actions]

    def _maybe(self, name: str, share: float) -> list[Action]:
        return [self._action(name)] if self.draw.chance(share) else []

    def _action(self, name: str) -> Action:
        if name == "request_review":
            self.voice.fixed["number_ahead"] = str(self._issue + self.draw.between(1, 30))
        return {"action": name, **written(name, self.voice)}

    def _issues(self) -> Action:
        count = self.draw.weighted({1: 2, 2: 4, 3: 3, 4: 1})
        return {"action": "create_issues", "issues": [self._issue_payload() for _ in range(count)]}

    def _issue_payload(self) -> Action:
        area = self.draw.pick(_AREAS)
        body = [f"## Overview\n{self.voice.line('overview')}"]
        if self.draw.chance(0.3):
            body.append(f"## Example\n{self.voice.one('snippet')}")
        criteria = "\n".join(f"- [ ] {self.voice.line('criterion')}" for _ in range(self.draw.between(1, 3)))
        body.append(f"## Done when\n{criteria}")
        return {
            "title": f"[{area}] {self.voice.line('title')}",
            "body": "\n\n".join(body),
            "labels": [area.lower(), self.voice.fixed["batch"]],
        }

    def _config(self) -> list[Part]:
        if not self.draw.chance(0.1):
            return []
        lead, config = self.voice.line("config_lead"), self.voice.one("config")
        return [Prose(f"{lead}\n\n```json\n{config}\n```")]

    def carry_out(self, action: Action) -> str:
        name = action["action"]
        if name == "create_issues":
            first, self._issue = self._issue + 1, self._issue + len(action["issues"])
            return f"create_issues: created #{first}" + (f" to #{self._issue}" if first < self._issue else "")
        if name in {"create_branch", "invoke_cheenoski"} and self.draw.chance(0.25):
            return f"{name}: queued for approval"
        return f"{name}: executed"
