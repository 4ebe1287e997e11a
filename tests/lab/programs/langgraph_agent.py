"""An agent of LangChain on LangGraph, traced by OpenInference."""

from langchain.agents import create_agent
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI
from openinference.instrumentation.langchain import LangChainInstrumentor
from traced import ADDRESS, ASKED, MOST, PROMPT, run_command, traced

LangChainInstrumentor().instrument(tracer_provider=traced())
model = ChatOpenAI(model=ASKED, base_url=f"{ADDRESS}/v1", api_key="none")
agent = create_agent(model, [tool(run_command)])
agent.invoke({"messages": [("user", PROMPT)]}, {"recursion_limit": 2 * MOST})
