"""An agent of Strands, with its own tracing."""

from strands import Agent, tool
from strands.models.openai import OpenAIModel
from traced import ADDRESS, ASKED, PROMPT, run_command, traced

traced()
model = OpenAIModel(client_args={"base_url": f"{ADDRESS}/v1", "api_key": "none"}, model_id=ASKED)
Agent(model=model, tools=[tool(run_command)], name="lab")(PROMPT)
