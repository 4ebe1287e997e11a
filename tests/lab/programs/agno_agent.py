"""An agent of Agno, traced by OpenInference."""

from agno.agent import Agent
from agno.models.openai.like import OpenAILike
from openinference.instrumentation.agno import AgnoInstrumentor
from traced import ADDRESS, ASKED, MOST, PROMPT, run_command, traced

AgnoInstrumentor().instrument(tracer_provider=traced())
model = OpenAILike(id=ASKED, base_url=f"{ADDRESS}/v1", api_key="none")
Agent(model=model, tools=[run_command], telemetry=False, tool_call_limit=2 * MOST).run(PROMPT)
