"""How each framework is run: a program of a few lines in its own environment, whose spans go to our receiver; data, a row a framework."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from lab.places import ASKED
from lab.steps import PROMPT, Tools

PROGRAMS = Path(__file__).parent / "programs"
MORE = 4
"""How many answers a run may take beside a scenario's steps."""


@dataclass(frozen=True)
class Framework:
    """A framework: its name for people, its program, what it calls the tool, the tool by which its models end, what it needs in its environment."""

    title: str
    program: str
    model: str = ASKED
    tool: str = "run_command"
    final_tool: str = ""
    environment: Mapping[str, str] = field(default_factory=dict)


def tools_of(framework: Framework) -> Tools:
    """Return how a program's one tool is called."""
    return Tools(lambda command: (framework.tool, {"command": command}))


def environment_of(
    framework: Framework, address: str, receiver: str, spans: Path, steps: int
) -> dict[str, str]:
    """Return what a program is told: where its model is, where its spans go, what to ask, and how many answers there may be."""
    return {
        "LAB_ADDRESS": address, "LAB_MOST": str(steps + MORE), "LAB_MODEL": framework.model, "LAB_PROMPT": PROMPT, "LAB_SPANS": str(spans),
        "OTEL_EXPORTER_OTLP_ENDPOINT": receiver, "OTEL_SDK_DISABLED": "false", "PYTHONDONTWRITEBYTECODE": "",
        **framework.environment, "GOOGLE_GEMINI_BASE_URL": address,
    }  # fmt: skip


FRAMEWORKS: dict[str, Framework] = {
    "langgraph": Framework("LangGraph", "langgraph_agent.py"),
    "pydantic_ai": Framework("Pydantic AI", "pydantic_ai_agent.py"),
    "openai_agents": Framework("OpenAI Agents", "openai_agents_agent.py"),
    "smolagents": Framework("smolagents", "smolagents_agent.py", final_tool="final_answer"),
    "strands": Framework("Strands", "strands_agent.py"),
    "google_adk": Framework(
        "Google ADK",
        "google_adk_agent.py",
        model="gemini-2.5-flash",
        environment={
            "GOOGLE_API_KEY": "none", "GOOGLE_GENAI_USE_VERTEXAI": "FALSE",
            "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT": "SPAN_ONLY",
            "OTEL_SEMCONV_STABILITY_OPT_IN": "gen_ai_latest_experimental",
        },
    ),
    "agno": Framework("Agno", "agno_agent.py"),
    "llama_index": Framework("LlamaIndex", "llama_index_agent.py"),
    "agent_framework": Framework("Agent Framework", "agent_framework_agent.py"),
    "haystack": Framework("Haystack", "haystack_agent.py"),
    "autogen": Framework("AutoGen", "autogen_agent.py"),
    "semantic_kernel": Framework(
        "Semantic Kernel",
        "semantic_kernel_agent.py",
        tool="Lab-run_command",
        environment={"SEMANTICKERNEL_EXPERIMENTAL_GENAI_ENABLE_OTEL_DIAGNOSTICS_SENSITIVE": "true"},
    ),
    "crewai": Framework(
        "CrewAI", "crewai_agent.py", environment={"CREWAI_DISABLE_TELEMETRY": "true", "OPENAI_API_KEY": "none"}
    ),
}  # fmt: skip
