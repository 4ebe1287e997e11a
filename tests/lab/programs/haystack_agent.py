"""An agent of Haystack, traced by OpenInference."""

from haystack.components.agents import Agent
from haystack.components.generators.chat import OpenAIChatGenerator
from haystack.dataclasses import ChatMessage
from haystack.tools import create_tool_from_function
from haystack.utils import Secret
from openinference.instrumentation.haystack import HaystackInstrumentor
from traced import ADDRESS, ASKED, PROMPT, run_command, traced

HaystackInstrumentor().instrument(tracer_provider=traced())
model = OpenAIChatGenerator(Secret.from_token("none"), ASKED, api_base_url=f"{ADDRESS}/v1", max_retries=5)
Agent(chat_generator=model, tools=[create_tool_from_function(run_command)]).run(
    [ChatMessage.from_user(PROMPT)]
)
