"""An agent of Pydantic AI, with its own tracing."""

from pydantic_ai import Agent, UsageLimits
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider
from traced import ADDRESS, ASKED, MOST, PROMPT, run_command, traced

traced()
Agent.instrument_all()
provider = OpenAIProvider(base_url=f"{ADDRESS}/v1", api_key="none")
agent = Agent(OpenAIChatModel(ASKED, provider=provider), tools=[run_command])
agent.run_sync(PROMPT, usage_limits=UsageLimits(request_limit=MOST))
