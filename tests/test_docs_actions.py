"""What docs/actions.md shows is what happens."""

import re
from pathlib import Path

import actionledger as al
from actionledger.runtime.execution.feedback import corrector

PAGE = (Path(__file__).parents[1] / "docs" / "actions.md").read_text(encoding="utf-8")


def fenced(label: str) -> list[str]:
    """Return the bodies of the page's fences of a label."""
    return re.findall(rf"^```{label}\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)


def test_the_example_prints_what_is_below_it(tmp_path, forked):
    """The example runs in an empty folder as it stands and prints just the lines that the page shows."""
    (code,) = fenced("python")
    done = forked.run(code, tmp_path)
    assert done.stderr == ""
    assert done.stdout == fenced("text")[0]


def test_the_correction_is_what_a_model_is_told():
    """For a status that is nearly right, in the dialect of the call."""
    text = al.render([("update_task", {"task_id": 1, "status": "complete"})], dialect="hermes")
    profile = al.profile("assistant")
    (call,) = al.parse(text, profile=profile, dialects=["hermes"]).actions
    told = corrector(profile)(call, True, text)
    assert told + "\n" == fenced("text")[1]
