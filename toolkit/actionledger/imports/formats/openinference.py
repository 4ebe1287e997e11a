"""OpenInference spans from Phoenix, Arize and their instrumentations, as JSON files.

Defined by ``spec/semantic_conventions.md`` of github.com/Arize-ai/openinference. The files are those of ``otel``. Phoenix's own exports nest the dotted
names, or have the kind beside the attributes (the answers of ``/v1/projects/…/spans`` and ``get_spans`` of its client), or a column for each name (its
tables as lines of JSON).
"""

from collections.abc import Iterator
from pathlib import Path

from actionledger.core.patterns import regex
from actionledger.core.vocabulary import Capture
from actionledger.imports.formats.otel import read_spans
from actionledger.imports.shapes.conversation import WORDINGS
from actionledger.imports.shapes.spans import is_spans
from actionledger.imports.sources.base import Item, Sample, Source
from actionledger.imports.sources.containers import OnRead
from actionledger.imports.sources.json_values import objects_of

_KIND = regex(
    rb'"(?:attributes\.)?openinference\.span\.kind"|"openinference"\s*:\s*\{\s*"span"|"llm\.input_messages|"span_kind"\s*:\s*"(?:LLM|TOOL|AGENT|CHAIN)"'
)


def read(path: Path, on_read: OnRead | None = None) -> Iterator[Item]:
    """Yield the sessions of a file of spans, then the skip counts."""
    yield from read_spans(path, on_read, SOURCE.name)


def recognise(sample: Sample) -> float:
    """Return the certainty that a sample holds such spans: each names its kind."""
    if not _KIND.search(sample.head):
        return 0.0
    objects = objects_of(sample)
    return float(all(is_spans(each) for each in objects)) if objects else 0.9


SOURCE = Source(
    "openinference",
    "OpenInference (Phoenix)",
    Capture.ARGUMENTS,
    read,
    recognise,
    patterns=("*.json", "*.jsonl", "*.json.gz", "*.jsonl.gz"),
    wordings=WORDINGS,
    loses=(
        "Content that was masked; answers of the history that have no span of their own; argument strings of providers that "
        "parse them; evaluations, which Phoenix keeps apart."
    ),
    fields=("context", "attributes", "span_kind"),
)
