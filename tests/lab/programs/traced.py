"""What the programs share, in the environment of their framework: spans go to the receiver and to a file, and one tool leaves marks."""

import os
import subprocess
from pathlib import Path

from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import ConsoleSpanExporter, SimpleSpanProcessor

ADDRESS = os.environ["LAB_ADDRESS"]
ASKED = os.environ["LAB_MODEL"]
PROMPT = os.environ["LAB_PROMPT"]
MOST = int(os.environ.get("LAB_MOST", "8"))
"""How many answers a run may take, where a framework wants a limit."""


def traced() -> TracerProvider:
    """Make the provider of spans that the framework's own tracing takes."""
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(OTLPSpanExporter()))
    written = Path(os.environ["LAB_SPANS"]).open("w", encoding="utf-8")  # noqa: SIM115 - until the program ends
    provider.add_span_processor(SimpleSpanProcessor(ConsoleSpanExporter(out=written)))
    trace.set_tracer_provider(provider)
    return provider


def run_command(command: str) -> str:
    """Run a command.

    Args:
        command: what the shell runs.
    """
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"The command ended with exit status {done.returncode}.")
    return done.stdout
