"""Provider message JSON as raw actions, for interfaces that have parsed the calls themselves.

``message.py`` finds the message in its wrapping, reports calls that were not parsed, and splits a message for a record.
``parts.py`` tells what each part of it is. ``spellings.py`` knows how calls are written and refuses values that are not JSON.
``gathering.py`` puts text, calls and issues in order.

The calls are next to the text and not in it. Each is a block of its own, with an empty span at the place in the
text where it was made. An action that a provider ran itself (web search, code execution) is none here, and thoughts are no text.
"""

from actionledger.reading.messages.gathering import PARSER_NAME
from actionledger.reading.messages.message import SplitCall, SplitMessage, read_message, split_message
from actionledger.reading.messages.spellings import require_json

__all__ = ["PARSER_NAME", "SplitCall", "SplitMessage", "read_message", "require_json", "split_message"]
