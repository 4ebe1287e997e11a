"""An agent of AutoGen, traced by OpenInference."""

import asyncio

from autogen_agentchat.agents import AssistantAgent
from autogen_ext.models.openai import OpenAIChatCompletionClient
from openinference.instrumentation.autogen_agentchat import AutogenAgentChatInstrumentor
from traced import ADDRESS, ASKED, MOST, PROMPT, run_command, traced

AutogenAgentChatInstrumentor().instrument(tracer_provider=traced())
CAN = {
    "vision": False, "function_calling": True, "json_output": False, "family": "unknown", "structured_output": False,
}  # fmt: skip


async def main() -> None:
    model = OpenAIChatCompletionClient(
        model=ASKED, base_url=f"{ADDRESS}/v1", api_key="none", model_info=CAN, max_retries=5
    )
    await AssistantAgent("lab", model, tools=[run_command], max_tool_iterations=MOST).run(task=PROMPT)


asyncio.run(main())
