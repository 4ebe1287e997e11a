"""An agent of CrewAI, traced by OpenInference."""

from crewai import LLM, Agent, Crew, Task
from crewai.tools import tool
from openinference.instrumentation.crewai import CrewAIInstrumentor
from openinference.instrumentation.openai import OpenAIInstrumentor
from traced import ADDRESS, ASKED, MOST, PROMPT, run_command, traced

provider = traced()
CrewAIInstrumentor().instrument(tracer_provider=provider)
OpenAIInstrumentor().instrument(tracer_provider=provider)
model = LLM(model=f"openai/{ASKED}", base_url=f"{ADDRESS}/v1", api_key="none")
agent = Agent(
    role="lab",
    goal="Do what is asked.",
    backstory="A lab.",
    llm=model,
    tools=[tool("run_command")(run_command)],
    max_iter=MOST,
)
task = Task(description=PROMPT, expected_output="Words.", agent=agent)
Crew(agents=[agent], tasks=[task]).kickoff()
