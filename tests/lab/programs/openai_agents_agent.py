"""An agent of OpenAI's SDK, over Responses, traced by OpenInference."""

from openai import AsyncOpenAI
from openinference.instrumentation.openai_agents import OpenAIAgentsInstrumentor
from traced import ADDRESS, ASKED, MOST, PROMPT, run_command, traced

from agents import Agent, Runner, function_tool, set_default_openai_client

OpenAIAgentsInstrumentor().instrument(tracer_provider=traced())
set_default_openai_client(AsyncOpenAI(base_url=f"{ADDRESS}/v1", api_key="none"), use_for_tracing=False)
Runner.run_sync(Agent("lab", model=ASKED, tools=[function_tool(run_command)]), PROMPT, max_turns=MOST)
