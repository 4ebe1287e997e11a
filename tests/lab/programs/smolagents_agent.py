"""A tool-calling agent of smolagents, traced by OpenInference."""

from openinference.instrumentation.smolagents import SmolagentsInstrumentor
from smolagents import OpenAIModel, ToolCallingAgent, tool
from traced import ADDRESS, ASKED, MOST, PROMPT, run_command, traced

SmolagentsInstrumentor().instrument(tracer_provider=traced())
model = OpenAIModel(model_id=ASKED, api_base=f"{ADDRESS}/v1", api_key="none")
ToolCallingAgent(tools=[tool(run_command)], model=model, max_steps=MOST).run(PROMPT)
