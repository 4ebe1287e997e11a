"""An agent of Microsoft's Agent Framework, with its own tracing."""

import asyncio

from agent_framework import Agent
from agent_framework.observability import enable_instrumentation
from agent_framework.openai import OpenAIChatCompletionClient
from openai import AsyncOpenAI
from traced import ADDRESS, ASKED, MOST, PROMPT, run_command, traced

traced()
enable_instrumentation(enable_sensitive_data=True)


async def main() -> None:
    client = OpenAIChatCompletionClient(
        model=ASKED,
        async_client=AsyncOpenAI(base_url=f"{ADDRESS}/v1", api_key="none", max_retries=5),
        function_invocation_configuration={
            "max_iterations": MOST,
            "max_consecutive_errors_per_request": MOST,
        },
    )
    await Agent(client, name="lab", tools=[run_command]).run(PROMPT)


asyncio.run(main())
