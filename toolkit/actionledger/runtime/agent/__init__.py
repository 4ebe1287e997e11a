"""A session driven by a model: request, response, execution and feedback, until the model is done or a limit is reached."""

from actionledger.runtime.agent.endings import ConversationLimits, Ending
from actionledger.runtime.agent.loop import Conversation, converse

__all__ = ["Conversation", "ConversationLimits", "Ending", "converse"]
