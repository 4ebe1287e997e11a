"""An agent of Google's ADK, over Gemini's interface, with its own tracing."""

import asyncio

from traced import ASKED, PROMPT, run_command, traced

traced()

from google.adk.agents import LlmAgent  # noqa: E402 - it looks for the provider when it is loaded
from google.adk.runners import InMemoryRunner  # noqa: E402


async def main() -> None:
    agent = LlmAgent(name="lab", model=ASKED, instruction="Do what is asked.", tools=[run_command])
    await InMemoryRunner(agent=agent, app_name="lab").run_debug(PROMPT)


asyncio.run(main())
