"""The steps of a trace, and by what they are known."""

from actionledger.core.recordings import RecordedCall, RecordedResult, Usage
from actionledger.imports.shapes.base import Message
from actionledger.imports.shapes.steps import Step
from actionledger.imports.shapes.traces import identified


def test_a_step_that_was_cut_out_is_known_as_older_versions_knew_it() -> None:
    """By what it says: a field that is new would give it another name, and a ledger would have it twice."""
    calls = [RecordedCall("a", "sh", {})]
    said = [Message("model", "Yes.", calls=calls, usage=Usage(input_tokens=1))]
    shown = [Message("tool", results=[RecordedResult("a", "ok")])]
    step = identified(Step("model", "", said=said, shown=shown))
    assert step.step_id == "69a971ef-0f79-513b-968b-a5a9f62e8921"
