from datetime import datetime
from zoneinfo import ZoneInfo

meeting = datetime(2026, 7, 1, 9, 0, tzinfo=ZoneInfo("America/New_York"))
print(meeting.astimezone(ZoneInfo("Europe/Berlin")).strftime("%H:%M %Z"))
