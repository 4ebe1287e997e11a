from datetime import datetime, timedelta, timezone

moment = datetime(2026, 6, 1, 12, 0, tzinfo=timezone.utc)
local = moment.astimezone(timezone(timedelta(hours=2)))
print(local.isoformat(), moment == local)
