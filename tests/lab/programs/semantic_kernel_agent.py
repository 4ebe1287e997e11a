"""An agent of Semantic Kernel, with its own tracing."""

import asyncio

from openai import AsyncOpenAI
from semantic_kernel.agents import ChatCompletionAgent
from semantic_kernel.connectors.ai.function_choice_behavior import FunctionChoiceBehavior
from semantic_kernel.connectors.ai.open_ai import OpenAIChatCompletion
from semantic_kernel.functions import kernel_function
from traced import ADDRESS, ASKED, MOST, PROMPT, run_command, traced

traced()


class Lab:
    @kernel_function
    def run_command(self, command: str) -> str:
        """Run a command."""
        return run_command(command)


async def main() -> None:
    client = AsyncOpenAI(base_url=f"{ADDRESS}/v1", api_key="none", max_retries=5)
    service = OpenAIChatCompletion(ai_model_id=ASKED, async_client=client)
    choice = FunctionChoiceBehavior.Auto(maximum_auto_invoke_attempts=MOST)
    await ChatCompletionAgent(
        service=service, name="lab", plugins=[Lab()], function_choice_behavior=choice
    ).get_response(PROMPT)


asyncio.run(main())
