"""An agent of LlamaIndex, traced by OpenInference."""

import asyncio

from llama_index.core.agent.workflow import FunctionAgent
from llama_index.llms.openai_like import OpenAILike
from openinference.instrumentation.llama_index import LlamaIndexInstrumentor
from traced import ADDRESS, ASKED, MOST, PROMPT, run_command, traced

LlamaIndexInstrumentor().instrument(tracer_provider=traced())


async def main() -> None:
    model = OpenAILike(
        model=ASKED,
        api_base=f"{ADDRESS}/v1",
        api_key="none",
        is_chat_model=True,
        is_function_calling_model=True,
    )
    await FunctionAgent(tools=[run_command], llm=model, streaming=False).run(PROMPT, max_iterations=2 * MOST)


asyncio.run(main())
