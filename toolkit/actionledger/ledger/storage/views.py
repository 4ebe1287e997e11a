"""Views of the schema: how responses without a tool call ended, who allowed calls, and what recordings say about their sessions.

A response without a call may be complete: the model answers, and its protocol lets it end so. Or it stopped: it announces an action and takes none,
its call was left as text, it is empty, it was cut, or the provider refused it. Or it contains a call that could not be parsed. The
views distinguish these by the model's finish reason, by what came next in the session, and by the end of the text.
"""

from actionledger.core.vocabulary import PERMISSION, Ending, Origin, Outcome, Reason, SessionOutcome, Stop

CUT = ("length", "max_tokens", "max_output_tokens", "model_length", "model_context_window_exceeded")
"""Providers' finish reasons of a response that was cut."""

REFUSED = (
    "refusal", "content_filter", "safety", "recitation", "blocklist", "prohibited_content", "spii", "guardrail_intervened",
    "content_filtered", "language",
)  # fmt: skip
"""Finish reasons of a response that the provider refused."""

BROKEN_OFF = (
    "error", "aborted", "cancelled", "canceled", "failed", "interrupted", "malformed_function_call", "network_error",
    "stream_error", "api_error", "incomplete",
)  # fmt: skip
"""Finish reasons of a response that was broken off."""

ENDED = ("end_turn", "stop", "stop_sequence", "completed", "eos", "eos_token", "complete", "finished", "done")
"""Finish reasons of a model that ended by itself."""

_ANNOUNCES = (
    r"^[\s*_>-]*(?:(?:okay|ok|now|so|then|great|good|alright|perfect|first|next|but|also|sure)[,!:]?\s+)*"
    r"(i['’]ll|i will|i['’]m going to|i am going to|let me|let['’]s|i (?:now )?need to|i should (?:now|first)|ich werde|lass mich|als n[äa]chstes|"
    r"je vais|laisse-moi|voy a|vamos a|d[ée]jame|vou |deixe-me|сейчас я|я сейчас|давайте|теперь я|我将|我会|让我|我来|接下来|"
    r"これから|それでは|次に)"
)
"""The beginning of a sentence that announces the next step."""

_ONLY_POLITE = (
    r"(let me know|let['’]s discuss|stop here|conclude|leave it|let me summari|let me explain|happy to|glad to|wait for|waiting for|be here|in mind|remember|"
    r"if you|once you|when you|when (?:it|they|the)|once (?:it|they|the)|as soon as you|sag mir|wenn du|wenn sie|dis-moi|si vous|si tu|av[íi]same|si quieres|"
    r"дайте мне знать|если вы|告诉我|如果你|如果您|お知らせください)"
)
"""Phrases of such a sentence that announces nothing, but offers something or waits."""

_LAST_SENTENCE = r"[^.!?。！？\n]*[.!:…。！：\s]*$"
_LOOKED_AT = 400
"""The number of characters at a text's end that are searched for an announcement."""


def _words(values: tuple[str, ...]) -> str:
    return ", ".join(f"'{value}'" for value in values)


_BLANKS = r"[\t\n\v\f\r \x{a0}]*"
_LEFT_AS_TEXT = _words((Reason.TOOL_MARKUP_IN_CONTENT, Reason.TOOL_MARKUP_IN_REASONING))
_ASKS = r"[?？]\s*$"
_LEADS_IN = r"[:：]\s*$"

_SENTENCE = f"lower(regexp_extract(right(text, {_LOOKED_AT}), '{_LAST_SENTENCE}'))"

_IS_ANNOUNCED = f"""(
                regexp_matches({_SENTENCE}, '{_ANNOUNCES.replace("'", "''")}') AND NOT regexp_matches({_SENTENCE}, '{_ONLY_POLITE.replace("'", "''")}')
                    AND NOT regexp_matches(text, '{_ASKS}')
                OR regexp_matches(text, '{_LEADS_IN}'))"""
"""Whether a text's end announces the next step. A CASE tests it last, for the few texts that get so far: DuckDB evaluates each part of an AND for all
rows, and these patterns over 16,000 texts took 0.2 seconds.
"""


_TURN = "session_id, turn_id, turn_index, profile, model, task, occurred_at, text, finish_reason"
_PLACED = f"""
        SELECT {_TURN},
               lead(prompt IS NULL) OVER following AS is_followed
        FROM turn_starts WHERE session_id IN (SELECT session_id FROM turn_starts SEMI JOIN unread USING (turn_id))
        WINDOW following AS (PARTITION BY session_id ORDER BY turn_index, turn_id)"""
_GOES_ON = "coalesce(is_followed, false) AND coalesce(feedback, '') = ''"
_FEEDBACK = " LEFT JOIN (SELECT turn_id, feedback FROM turn_ends) USING (turn_id)"


def unacted_turns_of(last: str = "") -> str:
    """Return the SELECT of the view ``unacted_turns``, a row for each parse of a response without a call; or of ``last_turns`` among some parse attempts."""
    meant = f"{last} SEMI JOIN last_turns USING (turn_id)" if last else "parse_attempts"
    # Nothing follows a last response, so that neither prompts nor feedback are read.
    placed, goes_on, feedback = (
        (f"SELECT {_TURN} FROM turn_starts", "false", "") if last else (_PLACED, _GOES_ON, _FEEDBACK)
    )
    return f"""
    WITH unread AS (
        SELECT attempt_id, turn_id, run_kind, outcome, capture FROM {meant}
        WHERE outcome IN ({_words((Outcome.NO_ACTION, Outcome.FAILED, Outcome.EMPTY))})),
    placed AS ({placed}),
    judged AS (
        SELECT placed.*, attempt_id, run_kind, outcome, capture, lower(coalesce(finish_reason, '')) AS stopped_by,
               {goes_on} AS goes_on,
               attempt_id IN (SELECT attempt_id FROM issues WHERE code IN ({_LEFT_AS_TEXT})) AS is_left_as_text
        FROM placed JOIN unread USING (turn_id){feedback}),
    told AS (
        SELECT *, CASE
            WHEN stopped_by IN ({_words(CUT)}) THEN '{Stop.CUT}'
            WHEN stopped_by IN ({_words(REFUSED)}) THEN '{Stop.REFUSED}'
            WHEN is_left_as_text THEN '{Stop.LEFT_AS_TEXT}'
            WHEN regexp_full_match(text, '{_BLANKS}') AND capture = 'text' AND stopped_by NOT IN ({_words(BROKEN_OFF)}) THEN '{Stop.EMPTY}'
            WHEN outcome = 'failed' THEN NULL
            WHEN stopped_by IN ({_words(BROKEN_OFF)}) THEN '{Stop.BROKEN_OFF}'
            WHEN outcome = 'empty' THEN '{Stop.EMPTY}'
            WHEN goes_on THEN NULL
            WHEN {_IS_ANNOUNCED} THEN '{Stop.ANNOUNCED}' END AS why
        FROM judged)
    SELECT session_id, turn_id, turn_index, profile, model, task, occurred_at, attempt_id, run_kind, outcome, CASE
        WHEN why IS NOT NULL THEN '{Ending.STOPPED}'
        WHEN outcome = 'failed' THEN '{Ending.UNPARSEABLE}'
        WHEN goes_on THEN '{Ending.WENT_ON}'
        WHEN stopped_by IN ({_words(ENDED)}) OR (stopped_by = '' AND capture <> 'text') THEN '{Ending.FINAL_ANSWER}'
        ELSE '{Ending.NOT_KNOWN}' END AS ending, why
    FROM told"""


def session_outcomes_of(
    *,
    sessions: str = "sessions",
    executions: str = "executions",
    turns: str = "turn_starts",
    attempts: str = "",
) -> str:
    """Return the SELECT of the view ``session_outcomes``, a row for each session; or of some of its rows, given theirs of four other tables.

    DuckDB computes the views among them whole before it applies a filter. A recorded success decides alone, so that no text of such sessions is read.
    """
    unacted = f"({unacted_turns_of(attempts)})" if attempts else "unacted_turns"
    return f"""
    WITH last_turns AS (
        SELECT session_id, arg_max(turn_id, turn_index) AS turn_id FROM {turns}
        WHERE session_id NOT IN (SELECT session_id FROM {sessions} WHERE success IS NOT NULL) GROUP BY session_id),
    found AS (
        SELECT session_id, success, reason, aborted, ending, why, turn_id,
               turn_id IN (SELECT turn_id FROM {executions} WHERE status IN ('interrupted', 'cancelled')) AS is_broken,
               turn_id IN (SELECT turn_id FROM {attempts or "parse_attempts"} WHERE outcome = '{Outcome.NOT_RECORDED}') AS is_unseen
        FROM {sessions} LEFT JOIN last_turns USING (session_id)
        LEFT JOIN (SELECT turn_id, ending, why FROM {unacted} WHERE run_kind NOT IN ('reparse', 'rerun')) USING (turn_id))
    SELECT session_id, CASE
        WHEN success THEN '{SessionOutcome.FINISHED}'
        WHEN NOT success THEN '{SessionOutcome.FAILED}'
        WHEN aborted <> '' OR is_broken THEN '{SessionOutcome.INTERRUPTED}'
        WHEN ending = '{Ending.FINAL_ANSWER}' THEN '{SessionOutcome.FINISHED}'
        WHEN ending IN ('{Ending.STOPPED}', '{Ending.UNPARSEABLE}') THEN '{SessionOutcome.STOPPED}'
        WHEN turn_id IS NULL AND reason <> '' THEN '{SessionOutcome.FAILED}'
        WHEN ending = '{Ending.NOT_KNOWN}' OR turn_id IS NULL OR is_unseen OR (ending IS NULL AND reason <> '') THEN '{SessionOutcome.NOT_KNOWN}'
        ELSE '{SessionOutcome.OPEN}' END AS outcome, CASE
        WHEN success IS NOT NULL THEN 'recorded'
        WHEN aborted <> '' OR is_broken THEN coalesce(nullif(aborted, ''), 'execution')
        ELSE coalesce(why, ending, nullif(reason, '')) END AS why
    FROM found"""


PERMISSIONS = f"""
    SELECT s.run_id, s.session_id, s.turn_id, s.turn_index, s.profile, s.model, s.task, s.occurred_at, s.execution_id,
           s.attempt_id, s.action_id, s.action_index, s.name, s.call_id, e.decision,
           coalesce(e.decided_by, 'not_recorded') AS decided_by, e.why, e.hooks
    FROM execution_starts s LEFT JOIN (
        SELECT turn_id, (detail->>'execution_id')::UUID AS execution_id, detail->>'decision' AS decision,
               detail->>'decided_by' AS decided_by, detail->>'why' AS why, (detail->'hooks')::VARCHAR[] AS hooks
        FROM events WHERE code = '{PERMISSION}') e USING (turn_id, execution_id)
    WHERE s.origin = '{Origin.RECORDED}'"""
"""Each execution of another runtime once; ``not_recorded`` if its recording doesn't say who decided."""


_MINT = "metadata ->> '$.counts.{}'"
"""The place of these counts in sessions imported before there was a common one; only MINT's were kept."""


def _count(field: str, *mints: str) -> str:
    older = " + ".join(f"TRY_CAST({_MINT.format(name)} AS BIGINT)" for name in mints)
    return f"coalesce(TRY_CAST(metadata ->> '$.harness.{field}' AS BIGINT), {older})"


RECORDED_VERDICTS = f"""
    WITH told AS (
        SELECT session_id, profile, model, task, source, success,
               {_count("took", "propose_solution", "use_tool")} AS took, {_count("missed", "invalid_action")} AS missed
        FROM (SELECT * REPLACE (CASE WHEN json_valid(metadata) THEN metadata END AS metadata) FROM sessions))
    SELECT session_id, profile, model, task, source, success, CASE WHEN missed >= 0 AND took >= 0 THEN took END AS took,
           CASE WHEN missed >= 0 AND took >= 0 THEN took + missed END AS counted
    FROM told WHERE success IS NOT NULL OR took + missed > 0"""
"""The SELECT of the view: a row for each session whose source reports either."""
