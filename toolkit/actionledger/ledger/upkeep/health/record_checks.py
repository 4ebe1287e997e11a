"""Checks of segments, locks and records."""

from collections.abc import Iterator

from actionledger.core.text import counted
from actionledger.ledger.storage.lake.place import is_place
from actionledger.ledger.storage.publishing import DIRECT_SECONDS, publishing_interval
from actionledger.ledger.storage.rollups import tables
from actionledger.ledger.upkeep.health.facts import Facts
from actionledger.ledger.upkeep.health.file_checks import command, not_asked
from actionledger.ledger.upkeep.health.report import Check, Finding, Level, size_words, time_words

_GRACE_SECONDS = 30.0
"""Seconds after which a publication that is due counts as late; the ingester may be busy."""

_CUT_OFF = "cut off"


def _interval(facts: Facts) -> float:
    return publishing_interval(facts.size_of("working file"), has_spare=facts.size_of("spare copy") > 0)


def segments(facts: Facts) -> Iterator[Finding]:
    """Check the writers' segments."""
    for segment in facts.segments:
        if not segment.is_readable:
            yield Finding(
                Check.SEGMENTS,
                Level.FAULT,
                f"The segment {segment.name} can't be opened: it belongs to somebody else, is not a file, or the disk is damaged; all others are "
                "taken in.",
                "Have its writer's user run 'actionledger ingest', or make it readable; what is no file belongs elsewhere.",
            )
        elif segment.size < segment.published:
            yield Finding(
                Check.SEGMENTS,
                Level.FAULT,
                f"The segment {segment.name} was cut by somebody's hand: it has {segment.size:,} of the {segment.published:,} bytes that were "
                "taken in. Those are safe; what was flushed behind them may be lost.",
                "Find out who cuts files in that folder. There is nothing to mend: the ingester removes the rest once its writer has ended.",
            )
        elif not segment.ends_whole and not facts.held_by(f"segment {segment.name}"):
            yield Finding(
                Check.SEGMENTS,
                Level.NOTE,
                f"The segment {segment.name} ends within a line: its writer died, or the disk was full, as it wrote what it had not acknowledged yet.",
                "Nothing to do: the next ingest takes the whole lines in, and puts the half one into quarantine.",
            )
    yield Finding(Check.SEGMENTS, Level.FINE, _segments_in_all(facts))


def _segments_in_all(facts: Facts) -> str:
    if not facts.segments:
        return "There are none: no process writes, and nothing waits."
    live = len(facts.held_by("segment"))
    size = size_words(sum(segment.size for segment in facts.segments))
    return f"{counted(len(facts.segments), 'segment')} of {size}, {live} of them with a writer that lives."


def ingest(facts: Facts) -> Iterator[Finding]:
    """Check whether flushed events are published in time."""
    waiting = [segment for segment in facts.segments if segment.waiting]
    if facts.records.problem:
        yield not_asked(Check.INGEST)
        return
    if facts.unpublished_seconds is not None:
        yield _of_import(facts, facts.unpublished_seconds)
    if not waiting:
        if facts.unpublished_seconds is None:
            yield Finding(Check.INGEST, Level.FINE, "All that was flushed is published.")
        return
    due = _interval(facts)
    oldest = max(segment.seconds for segment in waiting)
    size = size_words(sum(segment.waiting for segment in waiting))
    said = f"{size} wait to be published, the oldest for {time_words(oldest)}"
    if oldest <= due + _GRACE_SECONDS:
        yield Finding(Check.INGEST, Level.FINE, f"{said}, which is in time (every {time_words(due)}).")
    elif _is_taken_in(facts) and (facts.published_seconds or 0.0) <= due + _GRACE_SECONDS:
        yield Finding(
            Check.INGEST,
            Level.NOTE,
            f"{said}: writers are faster than the ingester just now; last published {time_words(facts.published_seconds or 0.0)} ago.",
            "Nothing to do: it catches up when less is written; the toolkit's own readers see all of it anyway.",
        )
    elif holders := facts.held_by("ingest"):
        yield Finding(
            Check.INGEST,
            Level.FAULT,
            f"{said}, though they are due within {time_words(due)}: {holders[0].named} is the ingester, and does not get on.",
            "Look at what it does; when it ends, another process takes over, and nothing is lost.",
        )
    else:
        yield Finding(
            Check.INGEST,
            Level.FAULT,
            f"{said}, and no process loads them: their writers were killed, or write with in_background=False.",
            f"{command('ingest', facts)} takes them in, or {command('doctor --fix', facts)}.",
            is_mendable=True,
        )


def _of_import(facts: Facts, seconds: float) -> Finding:
    """Return the finding on rows that an import has put into the working file."""
    said = f"What an import put into the working file waits to be published, for {time_words(seconds)}"
    due = max(DIRECT_SECONDS, _interval(facts))
    if facts.held_by("ingest") or seconds <= due + _GRACE_SECONDS:
        return Finding(Check.INGEST, Level.FINE, f"{said}, while it goes on.")
    return Finding(
        Check.INGEST,
        Level.FAULT,
        f"{said}, and no reader sees it: the import was killed, or does not get on.",
        f"{command('ingest', facts)} publishes it, or {command('doctor --fix', facts)}; the same import again goes on where it stopped.",
        is_mendable=True,
    )


def _is_taken_in(facts: Facts) -> bool:
    """Return whether some process ingests: the ingester, or a writer, which has a thread for it."""
    return any(not holder.is_stopped for holder in (*facts.held_by("ingest"), *facts.held_by("segment")))


def locks(facts: Facts) -> Iterator[Finding]:
    """Check which processes hold locks."""
    stopped = {holder.process: holder for holder in facts.holders if holder.is_stopped}
    for process, holder in stopped.items():
        yield Finding(
            Check.LOCKS,
            Level.FAULT,
            f"{holder.named[:1].upper()}{holder.named[1:]} is stopped and holds the lock of: {holder.what}.",
            f"Let it go on with 'kill -CONT {process}', or end it: the system lets go of its locks then.",
        )
    others = [holder for holder in facts.holders if holder.process not in stopped]
    named = [
        f"{holder.what} by {holder.named}" for holder in others if not holder.what.startswith("published")
    ]
    if named:
        yield Finding(Check.LOCKS, Level.FINE, f"Held: {'; '.join(named)}.")
    elif not stopped:
        yield Finding(Check.LOCKS, Level.FINE, "Nobody holds a lock.")


def quarantine(facts: Facts) -> Iterator[Finding]:
    """Check for unparseable lines."""
    unread = facts.records.unread
    if facts.records.problem:
        yield not_asked(Check.QUARANTINE)
        return
    lately = sum(each.lately for each in unread if each.reason != _CUT_OFF)
    if not unread:
        yield Finding(Check.QUARANTINE, Level.FINE, "Every loaded line could be read.")
        return
    reasons = ", ".join(f"{each.reason} {each.lines:,}" for each in unread)
    yield Finding(
        Check.QUARANTINE,
        Level.FAULT if lately else Level.NOTE,
        f"{counted(sum(each.lines for each in unread), 'line')} could not be read ({reasons}); {lately:,} of them came within a week, "
        "cut off ones aside, which nobody had acknowledged.",
        f"{_look(facts)} shows them, whole: an unknown kind was written by a newer actionledger, "
        "anything else by another hand or a damaged disk.",
    )


def rollup(facts: Facts) -> Iterator[Finding]:
    """Check whether sessions' precomputed totals agree with the rows."""
    found = facts.records.rollup
    anew = f"{command('doctor --fix', facts)} makes it anew of the rows; {command('verify', facts)} says whether those are whole."
    if facts.records.problem:
        yield not_asked(Check.ROLLUP)
    elif found is None and not (
        facts.size_of("working file") >= tables.WORTH_BYTES and not is_place(facts.files.published)
    ):
        said = "Pre-aggregation is off: it is not needed at this size."
        yield Finding(Check.ROLLUP, Level.FINE, said)
    elif found is None or not found.is_relied_on:
        yield Finding(
            Check.ROLLUP,
            Level.NOTE,
            "What sessions come to is not counted ahead as of now, so that rates are made of all rows: right, and in seconds instead of a moment.",
            f"The next publication counts it, or {command('doctor --fix', facts)}; where it stays so, that takes more memory than there is.",
            is_mendable=True,
        )
    elif found.faults:
        yield from (
            Finding(Check.ROLLUP, Level.FAULT, fault, anew, is_mendable=True) for fault in found.faults
        )
    else:
        drawn = counted(found.drawn, "session")
        said = f"What sessions come to is counted ahead; {drawn} were drawn and counted again, and are as their rows say."
        yield Finding(Check.ROLLUP, Level.FINE, said)


def left_out(facts: Facts) -> Iterator[Finding]:
    """Report what imports skipped and what they could not read."""
    count, of_files, refused = facts.records.left_out, facts.records.left_out_files, facts.records.refused
    if facts.records.problem:
        yield not_asked(Check.LEFT_OUT)
        return
    if count:
        said = f"Imports skipped {counted(count, 'thing')} of {counted(of_files, 'file')}; none of it is in any number."
        yield Finding(
            Check.LEFT_OUT, Level.NOTE, said, f"{command('report', facts)} and the page Skipped say why."
        )
    if refused:
        said = f"Imports refused {counted(refused, 'line, file or turn', 'lines, files or turns')}."
        advice = "The page Skipped says which and why; after you mend them, import them again."
        yield Finding(Check.LEFT_OUT, Level.NOTE, said, advice)
    if superseded := facts.records.superseded:
        is_one = superseded == 1
        said = (
            f"{counted(superseded, 'response')} {'counts' if is_one else 'count'} no longer, as another one stands for {'it' if is_one else 'each'}: "
            "its recording had more of it later, or an earlier version knew it by another name."
        )
        listing = command('sql "FROM superseded"', facts)
        yield Finding(Check.LEFT_OUT, Level.NOTE, said, f"Nothing to do; {listing} lists them.")
    if not count and not refused:
        yield Finding(Check.LEFT_OUT, Level.FINE, "No import has left anything out.")


def _look(facts: Facts) -> str:
    return command('sql "FROM quarantine" --format vertical', facts)
