"""An agent of Microsoft's Agent Framework, with its own tracing."""

import asyncio

from agent_framework import Agent
from agent_framework.observability import enable_instrumentation
from agent_framework.openai import OpenAIChatCompletionClient
from traced import ADDRESS, ASKED, PROMPT, run_command, traced

traced()
enable_instrumentation(enable_sensitive_data=True)


async def main() -> None:
    client = OpenAIChatCompletionClient(model=ASKED, base_url=f"{ADDRESS}/v1", api_key="none")
    await Agent(client, name="lab", tools=[run_command]).run(PROMPT)


asyncio.run(main())
