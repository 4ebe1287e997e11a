"""Provider message JSON as raw actions: what an interface returns where it has read the calls itself.

``message.py`` finds the message in what stands around it, ``parts.py`` tells what each part of it is, ``spellings.py`` knows
how calls are written, ``leftovers.py`` looks for calls that nobody has read, ``gathering.py`` puts text, calls and issues in
their order; ``plain.py`` refuses what is no JSON; ``splitting.py`` leaves the arguments as they are, for a record.

The calls stand beside the text and not in it: each is a block of its own whose span is the empty one at the place in the
text where it was made. What a provider ran itself (web search, code execution) is no action, and thoughts are no text.
"""

from actionledger.reading.messages.gathering import PARSER_NAME
from actionledger.reading.messages.message import SplitCall, SplitMessage, read_message, split_message
from actionledger.reading.messages.spellings import require_json

__all__ = ["PARSER_NAME", "SplitCall", "SplitMessage", "read_message", "require_json", "split_message"]
