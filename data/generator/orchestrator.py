"""Sessions of the orchestrator: layers of a made-up company pass a directive down and emit actions."""

from generator.actions import Action
from generator.draw import Draw
from generator.reply import Block, Part, Prose, spread
from generator.session import Session
from generator.voice import Voice
from generator.words import bank

_LAYERS = {
    "2ic": ("update_plan", "request_info?0.3"),
    "eng-lead": ("create_branch", "update_plan?0.6"),
    "team-lead": ("create_issues", "invoke_cheenoski"),
}
"""What each layer does, the later of it now and then."""

_AREAS = ("Backend", "Frontend", "Infra", "Docs", "QA")
_AFTERWARDS = ("request_info", "escalate", "request_review", "update_plan")


class Orchestrator(Session):
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

    def compose(self) -> list[Part]:
        layer = self._layer()
        names = _LAYERS.get(layer) or (self.draw.pick(_AFTERWARDS),)
        actions = [self._action(name) for key in names for name in self.draw.wanted(key)]
        groups = [actions] if len(actions) > 1 and self.draw.chance(0.3) else actions
        before = self.prose(f"opener_{layer}?0.95", "aside?0.45", "aside?0.12")
        blocks = spread([Block("json", group, self.dumps) for group in groups], self.voice, 0.7)
        return [*before, *blocks, *self.draw.maybe(0.1, self._config), *self.prose("closer?0.5")]

    def follow_up(self) -> str:
        return f"Next layer: {self._layer()}." if self.step < len(_LAYERS) else ""

    def _layer(self) -> str:
        return tuple(_LAYERS)[self.step] if self.step < len(_LAYERS) else "later"

    def _action(self, name: str) -> Action:
        if name == "request_review":
            self.voice.fixed["number_ahead"] = str(self._issue + self.draw.between(1, 30))
        if name == "create_issues":
            count = self.draw.weighted({1: 2, 2: 4, 3: 3, 4: 1})
            return {"action": name, "issues": [self._payload() for _ in range(count)]}
        return {"action": name, **self.voice.written(name)}

    def _payload(self) -> Action:
        area = self.draw.pick(_AREAS)
        body = [f"## Overview\n{self.voice.line('overview')}"]
        body += self.draw.maybe(0.3, lambda: f"## Example\n{self.voice.one('snippet')}")
        criteria = "\n".join(f"- [ ] {self.voice.line('criterion')}" for _ in range(self.draw.between(1, 3)))
        body.append(f"## Done when\n{criteria}")
        return {
            "title": f"[{area}] {self.voice.line('title')}",
            "body": "\n\n".join(body),
            "labels": [area.lower(), self.voice.fixed["batch"]],
        }

    def _config(self) -> Part:
        lead, config = self.voice.line("config_lead"), self.voice.one("config")
        return Prose(f"{lead}\n\n```json\n{config}\n```")

    def carry_out(self, action: Action) -> str:
        name = action["action"]
        if name == "create_issues":
            first, self._issue = self._issue + 1, self._issue + len(action["issues"])
            return f"create_issues: created #{first}" + (f" to #{self._issue}" if first < self._issue else "")
        if name in {"create_branch", "invoke_cheenoski"} and self.draw.chance(0.25):
            return f"{name}: queued for approval"
        return f"{name}: executed"
