import calendar

year, month = 2026, 2
first, days = calendar.monthrange(year, month)
print(calendar.month_name[month], days, "days, first weekday", first)
