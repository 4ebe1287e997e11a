"""What masking finds, what it takes for a secret that is none, and what it costs.

python tests/benchmarks/masking.py [FOLDER OF RECORDINGS [HOW MANY TO SHOW]]
"""

import gzip
import json
import random
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from pydantic_core import to_json

sys.path[:0] = [str(Path(__file__).parents[1] / "support")]
from planted import Planted, planted  # noqa: E402 - it lies beside the tests
from timing import least  # noqa: E402 - the same

from actionledger.core.privacy import mask  # noqa: E402 - the same

TEXT = (
    'I have looked at "the file" and found\nthat task-management was imported twice: `from x import y`.\n'
    "The tokens are counted under https://host.example/a?b=c, see max_tokens=4096 in the settings.\n"
)

BEGINNINGS = (
    "password=",
    "password='",
    'password": "',
    "sk-",
    "sk-a",
    "eyJabcde.",
    "Bearer ",
    "\\",
    '"',
    "password\\\\\\",
    "-----BEGIN PRIVATE KEY-----",
    "password=a.b",
    "password=x(",
    'password" ',
    "ghp_",
    "secret_",
    "xoxb-",
    "\\u00",
    "\\u0041",
    "\\/",
    "://",
    "://a:",
    "cookie: a=",
    "authorization: ",
    "basic ",
    " -u a:",
    "--user a:",
    "SG.",
    "eyJabcde12345.",
    "token: ",
    "token a1",
    "password ",
    "password: \n",
    "<password>",
    "password>a",
    "secret', '",
    'api_key", "',
    "AA:AA",
    "Q~",
    "glpat-",
    "AccountKey=",
    "sig=",
    "sig=%2",
    "1234567890:AA",
    "-us1",
    "-us",
    "hooks.slack.com/services/",
    "/api/webhooks/1",
    "-----BEGIN ",
    "-----BEGIN A ",
    "Discord Mabc.",
    "key-",
    "password</arg_key>",
    "name: password\n value: ",
    "password=$",
    "password={",
    "pwd",
    "token=a.b.",
    ".atlasv1.",
)
"""What looks like the beginning of a secret; a text may be made of nothing else."""

SMALL, TIMES, MOST = 62_500, 16, 24
"""How long such a text is, how many times as long a larger one, and how many times its time that may take."""


def found(one: Planted) -> bool:
    """Whether nothing is left of a planted secret, in a text and in JSON in JSON of it."""
    text = json.loads(mask(to_json({"text": one.text})))["text"]
    nested = json.loads(mask(to_json({"text": json.dumps({"arguments": json.dumps({"value": one.text})})})))
    within = json.loads(json.loads(nested["text"])["arguments"])["value"]
    return one.secret not in text and one.secret not in within


def texts(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield the lines of all recordings in a folder, each with the name of the folder below it."""
    for path in sorted(folder.rglob("*")):
        if not path.is_file() or path.suffix in {".eval", ".zip", ".sqlite", ".db"}:
            continue
        data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        for line in data.decode("utf-8", "replace").split("\n"):
            yield path.relative_to(folder).parts[0], line


def count_recall() -> None:
    """Print how many of the planted secrets are found."""
    all_of_them = list(planted())
    missed = [one for one in all_of_them if not found(one)]
    kinds = len({one.kind for one in all_of_them})
    print(f"planted: {len(all_of_them)} secrets of {kinds} kinds, {len(missed)} missed")
    for one in missed:
        print(f"  missed: {one.kind}, {one.place}")


def count_masked(folder: Path, shown: int) -> None:
    """Print how much of other people's recordings is masked, and a few places by chance."""
    lines, characters, changed, hidden = Counter(), Counter(), Counter(), Counter()
    places: list[tuple[str, str, str]] = []
    for source, line in texts(folder):
        lines[source] += 1
        characters[source] += len(line)
        data = to_json(line)
        kept = mask(data)
        if kept is data:
            continue
        after = json.loads(kept)
        at = [place for place, (old, new) in enumerate(zip(line, after, strict=True)) if old != new]
        changed[source] += 1
        hidden[source] += len(at)
        last = -2
        for place in at:
            if place > last + 12:
                places.append((source, line[max(0, place - 70) : place], line[place : place + 60]))
            last = place
    for source, count in lines.items():
        print(
            f"{source}: {changed[source]:,} of {count:,} lines, {hidden[source]:,} of {characters[source]:,} characters"
        )
    for source, before, behind in random.Random(0).sample(places, min(shown, len(places))):
        print(f"  {source}: {before!r} >>> {behind!r}")


def time_it() -> None:
    """Print what masking a text without a secret costs, beside writing it as JSON."""
    text = (TEXT * (4096 // len(TEXT) + 1))[:4096]
    line = to_json({"kind": "response_received", "text": text, "session_id": "0f" * 16})
    assert mask(line) is line, "there is no secret in it"
    for name, seconds in least({"mask": lambda: mask(line), "to_json": lambda: to_json(text)}).items():
        print(f"{name}: {seconds * 1e6:.1f} µs for 4 KB")


def time_beginnings() -> bool:
    """Print which texts of beginnings take more than their length's share of time as they grow; return whether none does."""
    worst, slow = 0.0, []
    for beginning in BEGINNINGS:
        small, large = (
            to_json({"text": beginning * (size // len(beginning))}) for size in (SMALL, SMALL * TIMES)
        )
        times = least({"small": lambda small=small: mask(small), "large": lambda large=large: mask(large)}, 3)
        ratio = times["large"] / times["small"]
        worst = max(worst, ratio)
        slow += [f"{beginning!r} {ratio:.1f} times, {times['large']:.2f} s"] if ratio > MOST else []
    print(
        f"{len(BEGINNINGS)} beginnings, {TIMES} times the text: at most {worst:.1f} times the processor time"
    )
    for line in slow:
        print(f"  more than {MOST}: {line}")
    return not slow


if __name__ == "__main__":
    count_recall()
    time_it()
    is_linear = time_beginnings()
    if len(sys.argv) > 1:
        count_masked(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0)
    sys.exit(not is_linear)
