# %% asyncio_gather
import asyncio


async def double(n):
    await asyncio.sleep(0.001)
    return n * 2

async def main():
    return await asyncio.gather(*(double(n) for n in range(4)))

print(asyncio.run(main()))
# %% average_and_median
import statistics

values = [12, 15, 11, 19, 14, 15]
print("mean", statistics.mean(values))
print("median", statistics.median(values))
print("stdev", round(statistics.stdev(values), 3))
# %% bisect_grades
import bisect


def grade(score, limits=(60, 70, 80, 90), grades="FDCBA"):
    return grades[bisect.bisect(limits, score)]

print([grade(s) for s in (33, 99, 77, 70, 89, 90)])
# %% context_manager
from contextlib import contextmanager


@contextmanager
def section(name):
    print(f"<{name}>")
    yield
    print(f"</{name}>")

with section("summary"):
    print("content")
# %% csv_parse
import csv
import io

text = "name,amount\nrent,950.00\nfood,320.50\ntravel,75.25\n"
total = 0
for row in csv.DictReader(io.StringIO(text)):
    total += float(row["amount"])
print(f"Total: {total:.2f}")
total
# %% dataclass_order
from dataclasses import dataclass, field


@dataclass(order=True)
class Item:
    priority: int
    name: str = field(compare=False)

items = sorted([Item(3, "low"), Item(1, "high"), Item(2, "mid")])
for item in items:
    print(item.priority, item.name)
# %% dataclass_rows
from dataclasses import asdict, dataclass


@dataclass
class Row:
    name: str
    hours: float = 0.0

rows = [Row("a", 1.5), Row("b")]
print([asdict(row) for row in rows])
# %% date_differences
from datetime import datetime

a = datetime(2026, 1, 15, 10, 30)
b = datetime(2026, 3, 1, 9, 0)
delta = b - a
print(delta.days, "days and", delta.seconds // 3600, "hours")
# %% decimal_invoice
from decimal import Decimal

lines = [("Design", Decimal("3.5"), Decimal("80.00")), ("Code", Decimal("10"), Decimal("95.50"))]
net = sum(hours * rate for _, hours, rate in lines)
vat = (net * Decimal("0.19")).quantize(Decimal("0.01"))
print("net", net, "vat", vat, "gross", net + vat)
# %% defaultdict_groups
from collections import defaultdict

by_letter = defaultdict(list)
for word in ["apple", "avocado", "beet", "corn", "carrot"]:
    by_letter[word[0]].append(word)
print(dict(by_letter))
# %% deque_window
from collections import deque

window = deque(maxlen=3)
averages = []
for value in [1, 2, 3, 4, 5, 6]:
    window.append(value)
    averages.append(sum(window) / len(window))
print(averages)
# %% fractions_recipe
from fractions import Fraction

cups = [Fraction(1, 2), Fraction(1, 3), Fraction(3, 4)]
total = sum(cups)
print(total, float(total))
# %% graphlib_order
from graphlib import TopologicalSorter

print(list(TopologicalSorter({"deploy": {"test"}, "test": {"build"}}).static_order()))
# %% hash_of_content
import hashlib

print(hashlib.sha256(b"actionledger").hexdigest()[:16])
print(hashlib.md5(b"").hexdigest())
# %% heap_priorities
import heapq

queue = []
for priority, name in [(3, "tidy"), (1, "fix outage"), (2, "answer mail")]:
    heapq.heappush(queue, (priority, name))
while queue:
    print(heapq.heappop(queue))
# %% itertools_groups
from itertools import groupby

tasks = [("pending", "a"), ("done", "b"), ("pending", "c")]
tasks.sort()
for status, group in groupby(tasks, key=lambda t: t[0]):
    print(status, [name for _, name in group])
# %% lru_cache
from functools import lru_cache


@lru_cache(maxsize=None)
def ways(n):
    return 1 if n < 2 else ways(n - 1) + ways(n - 2)

print(ways(50))
# %% math_functions
import math

print(math.sqrt(2), math.factorial(10), math.gcd(84, 36), math.floor(-2.5), math.ceil(2.1))
print(round(math.sin(math.pi / 6), 10), math.log2(1024), math.isclose(0.1 + 0.2, 0.3))
# %% measure_time
import time

start = time.perf_counter()
total = sum(range(1000))
elapsed = time.perf_counter() - start
print(total, elapsed < 5)
# %% month_calendar
import calendar

year, month = 2026, 2
first, days = calendar.monthrange(year, month)
print(calendar.month_name[month], days, "days, first weekday", first)
# %% namedtuple_points
from collections import namedtuple

Point = namedtuple("Point", "x y")
points = [Point(1, 2), Point(4, 6)]
distance = ((points[0].x - points[1].x) ** 2 + (points[0].y - points[1].y) ** 2) ** 0.5
print(distance, points[0])
# %% parse_dates
from datetime import datetime

for text in ["2026-01-05", "2025-12-31", "2024-02-29"]:
    day = datetime.strptime(text, "%Y-%m-%d")
    print(day.strftime("%d.%m.%Y"), day.isoweekday())
# %% pretty_print
from pprint import pformat

data = {"tasks": [{"id": i, "content": "x" * 20} for i in range(3)]}
print(pformat(data, width=50))
# %% print_to_stderr
import sys

print("working")
print("warning: nothing to do", file=sys.stderr)
# %% reduce_product
from functools import reduce
from operator import mul

print(reduce(mul, range(1, 11)))
# %% regex_replace
import re

text = "Call 0171-555123 or 030-998877."
print(re.sub(r"\d{3,4}-(\d+)", r"***-\1", text))
print(re.split(r"[,;]\s*", "a, b;c,d"))
# %% seeded_random
import random

random.seed(7)
numbers = [random.randint(1, 6) for _ in range(5)]
print(all(1 <= n <= 6 for n in numbers), len(numbers))
# %% string_constants
import string

print(string.ascii_lowercase[:5], string.digits, len(string.punctuation))
# %% textwrap_note
import textwrap

text = "This is a fairly long note that should be wrapped so that it reads well in a narrow column."
print(textwrap.fill(text, width=40))
# %% timezones
from datetime import datetime, timedelta, timezone

moment = datetime(2026, 6, 1, 12, 0, tzinfo=timezone.utc)
local = moment.astimezone(timezone(timedelta(hours=2)))
print(local.isoformat(), moment == local)
# %% unicode_names
import unicodedata

print([unicodedata.name(c) for c in "é€"], unicodedata.normalize("NFD", "é") == "e\u0301")
# %% uuid_from_name
import uuid

print(uuid.uuid5(uuid.NAMESPACE_DNS, "example.org"))
# %% word_frequency
import re
from collections import Counter

text = "The quick brown fox jumps over the lazy dog. The dog sleeps."
words = re.findall(r"[a-z]+", text.lower())
for word, count in Counter(words).most_common(3):
    print(word, count)
# %% zoneinfo_meeting
from datetime import datetime
from zoneinfo import ZoneInfo

meeting = datetime(2026, 7, 1, 9, 0, tzinfo=ZoneInfo("America/New_York"))
print(meeting.astimezone(ZoneInfo("Europe/Berlin")).strftime("%H:%M %Z"))
