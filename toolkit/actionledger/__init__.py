"""Records what a language model tried to do and the results, and shows what another parser would have made of it."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from actionledger._version import __version__
from actionledger.core.hooks import by_name, register

if TYPE_CHECKING:
    from actionledger.actions.catalogue import Action as Action, Catalogue as Catalogue
    from actionledger.api import (
        dialect_names as dialect_names,
        parse as parse,
        parse_message as parse_message,
        parser as parser,
        parser_names as parser_names,
        profile as profile,
        profile_names as profile_names,
        prompt as prompt,
        register_profile as register_profile,
        render as render,
        tools as tools,
    )
    from actionledger.core.errors import ActionError as ActionError, ActionLedgerError as ActionLedgerError
    from actionledger.core.rates import Rate as Rate
    from actionledger.core.recordings import (
        Permission as Permission,
        RecordedCall as RecordedCall,
        RecordedResult as RecordedResult,
        RecordedSession as RecordedSession,
        RecordedTurn as RecordedTurn,
        SessionDetails as SessionDetails,
        Usage as Usage,
    )
    from actionledger.core.values import (
        ActionCall as ActionCall,
        Approval as Approval,
        Block as Block,
        FieldError as FieldError,
        Issue as Issue,
        Observation as Observation,
        ParseResult as ParseResult,
        RawAction as RawAction,
        Reading as Reading,
        Repair as Repair,
        Span as Span,
        Turn as Turn,
    )
    from actionledger.core.vocabulary import (
        Capture as Capture,
        DecisionKind as DecisionKind,
        Judgement as Judgement,
        Relation as Relation,
        ReviewAspect as ReviewAspect,
        TitleOrigin as TitleOrigin,
    )
    from actionledger.imports import (
        ImportReport as ImportReport,
        Prices as Prices,
        import_path as import_path,
        import_sessions as import_sessions,
    )
    from actionledger.imports.live.clients import record as record, recorded_call as recorded_call
    from actionledger.imports.live.processor import span_processor as span_processor
    from actionledger.imports.plan_importer import ImportProgress as ImportProgress
    from actionledger.imports.sources.base import LeftOut as LeftOut, Refusal as Refusal
    from actionledger.imports.sources.tables import frame_sessions as frame_sessions
    from actionledger.ledger import Ledger as Ledger, open_ledger as open_ledger
    from actionledger.ledger.listings import (
        sessions as sessions,
        tool_calls as tool_calls,
        turns as turns,
        usage as usage,
    )
    from actionledger.ledger.queries.agreement import Agreement as Agreement, agreement as agreement
    from actionledger.ledger.queries.differences import TurnDifference as TurnDifference
    from actionledger.ledger.queries.filters import Filter as Filter
    from actionledger.ledger.queries.funnel import Funnel as Funnel, funnel as funnel
    from actionledger.ledger.queries.labels import ScoreBound as ScoreBound
    from actionledger.ledger.queries.marks import Mark as Mark
    from actionledger.ledger.queries.reviews import Review as Review, reviews as reviews
    from actionledger.ledger.results import QueryResult as QueryResult
    from actionledger.ledger.review import (
        change as change,
        review as review,
        settle as settle,
        withdraw as withdraw,
    )
    from actionledger.ledger.storage.store import IngestReport as IngestReport
    from actionledger.ledger.upkeep.forgetting.records import ForgetReport as ForgetReport
    from actionledger.ledger.upkeep.proofs.report import Verification as Verification
    from actionledger.profiles.assistant.reasoning import IterativeReasoner as IterativeReasoner
    from actionledger.profiles.custom import ActionSet as ActionSet, custom_profile as custom_profile
    from actionledger.profiles.orchestrator.cascade import orchestrate as orchestrate
    from actionledger.profiles.orchestrator.layers import Layer as Layer
    from actionledger.reading.parsers import (
        BaselineParser as BaselineParser,
        DialectParser as DialectParser,
        response_template_parser as response_template_parser,
    )
    from actionledger.reading.stream import StreamParser as StreamParser
    from actionledger.reading.tolerant_json import (
        Decoded as Decoded,
        DecodeOptions as DecodeOptions,
        Found as Found,
        decode as decode,
        decode_all as decode_all,
        find_value as find_value,
    )
    from actionledger.replay.cases import Case as Case, load_case as load_case
    from actionledger.replay.changes import Change as Change, changes as changes
    from actionledger.replay.comparison import compare as compare
    from actionledger.replay.contrasts import Contrast as Contrast
    from actionledger.replay.experiments import (
        Budget as Budget,
        Experiment as Experiment,
        ExperimentProgress as ExperimentProgress,
        Variant as Variant,
        experiment as experiment,
    )
    from actionledger.replay.failure_changes import (
        FailureChanges as FailureChanges,
        failure_changes as failure_changes,
    )
    from actionledger.replay.failure_groups import (
        FailureGroup as FailureGroup,
        FailureReport as FailureReport,
    )
    from actionledger.replay.failures import failures as failures
    from actionledger.replay.fork import Fork as Fork, fork as fork
    from actionledger.replay.gate.baseline import Baseline as Baseline, bless as bless
    from actionledger.replay.gate.judgement import gate as gate
    from actionledger.replay.gate.report import GateReport as GateReport
    from actionledger.replay.loop import Loop as Loop
    from actionledger.replay.loops import LoopReport as LoopReport, loops as loops
    from actionledger.replay.paired import (
        PairedComparison as PairedComparison,
        PairedGroup as PairedGroup,
        compare_by as compare_by,
    )
    from actionledger.replay.recheck import (
        RecheckedAction as RecheckedAction,
        RecheckReport as RecheckReport,
        recheck as recheck,
    )
    from actionledger.replay.recoveries import (
        FailedTurn as FailedTurn,
        RecoveryReport as RecoveryReport,
        recoveries as recoveries,
    )
    from actionledger.replay.reparse import ReparseReport as ReparseReport, reparse as reparse
    from actionledger.replay.reparse_run import ReparseProgress as ReparseProgress
    from actionledger.replay.rerun import rerun as rerun
    from actionledger.replay.rerun_report import (
        Cause as Cause,
        Divergence as Divergence,
        RerunReport as RerunReport,
        SessionRerun as SessionRerun,
    )
    from actionledger.replay.reviewer_agreement import (
        ReviewerAgreement as ReviewerAgreement,
        reviewer_agreement as reviewer_agreement,
    )
    from actionledger.replay.shrink import Shrunk as Shrunk, shrink as shrink, shrink_group as shrink_group
    from actionledger.replay.statistics import public as statistics  # noqa: F401 - al.statistics
    from actionledger.replay.steps import (
        Step as Step,
        Steps as Steps,
        WorkspaceState as WorkspaceState,
        steps as steps,
    )
    from actionledger.report import charts as charts
    from actionledger.report.explanation import Explanation as Explanation, explain as explain
    from actionledger.report.progress import progress as progress
    from actionledger.report.viewing import SessionView as SessionView, view as view
    from actionledger.runtime.agent import (
        Conversation as Conversation,
        ConversationLimits as ConversationLimits,
        converse as converse,
    )
    from actionledger.runtime.execution.approval import (
        Decision as Decision,
        Policy as Policy,
        Rule as Rule,
        Verdict as Verdict,
    )
    from actionledger.runtime.execution.handlers import Context as Context, Handlers as Handlers
    from actionledger.runtime.execution.limits import Limits as Limits, RateLimit as RateLimit
    from actionledger.runtime.execution.profile import (
        ActionSettings as ActionSettings,
        ExecutionSettings as ExecutionSettings,
        Profile as Profile,
    )
    from actionledger.runtime.models import (
        Chunk as Chunk,
        Completion as Completion,
        Model as Model,
        model_from as model_from,
    )
    from actionledger.runtime.session.preview import Preview as Preview
    from actionledger.runtime.session.runtime import Runtime as Runtime
    from actionledger.runtime.session.states.settings import ManifestSettings as ManifestSettings
    from actionledger.runtime.workspace.undo import Undone as Undone

_MODULES = by_name(
    {
        "actions.catalogue": "Action Catalogue",
        "runtime.agent": "Conversation ConversationLimits converse",
        "api": "dialect_names parse parse_message parser parser_names profile profile_names prompt register_profile render tools",
        "imports.live.clients": "record recorded_call",
        "imports.live.processor": "span_processor",
        "report.progress": "progress",
        "core.errors": "ActionError ActionLedgerError",
        "runtime.execution.approval": "Decision Policy Rule Verdict",
        "runtime.execution.handlers": "Context Handlers",
        "runtime.execution.limits": "Limits RateLimit",
        "runtime.execution.profile": "ActionSettings ExecutionSettings Profile",
        "replay.experiments": "Budget Experiment ExperimentProgress Variant experiment",
        "report.explanation": "Explanation explain",
        "imports": "ImportReport Prices import_path import_sessions",
        "imports.plan_importer": "ImportProgress",
        "ledger": "Ledger open_ledger",
        "ledger.storage.store": "IngestReport",
        "ledger.listings": "sessions tool_calls turns usage",
        "ledger.upkeep.proofs.report": "Verification",
        "ledger.queries.agreement": "Agreement agreement",
        "ledger.queries.marks": "Mark",
        "ledger.queries.differences": "TurnDifference",
        "ledger.queries.filters": "Filter",
        "ledger.queries.funnel": "Funnel funnel",
        "ledger.queries.reviews": "Review reviews",
        "ledger.queries.labels": "ScoreBound",
        "ledger.results": "QueryResult",
        "ledger.review": "change review settle withdraw",
        "runtime.models": "Chunk Completion Model model_from",
        "reading.parsers": "BaselineParser DialectParser response_template_parser",
        "reading.stream": "StreamParser",
        "profiles.assistant.reasoning": "IterativeReasoner",
        "profiles.custom": "ActionSet custom_profile",
        "profiles.orchestrator.cascade": "orchestrate",
        "profiles.orchestrator.layers": "Layer",
        "core.rates": "Rate",
        "replay.cases": "Case load_case",
        "replay.changes": "Change changes",
        "replay.comparison": "compare",
        "replay.contrasts": "Contrast",
        "replay.failure_changes": "FailureChanges failure_changes",
        "replay.failures": "failures",
        "replay.fork": "Fork fork",
        "replay.gate.baseline": "Baseline bless",
        "replay.gate.judgement": "gate",
        "replay.gate.report": "GateReport",
        "replay.failure_groups": "FailureGroup FailureReport",
        "replay.loop": "Loop",
        "replay.loops": "LoopReport loops",
        "replay.paired": "PairedComparison PairedGroup compare_by",
        "replay.recheck": "RecheckReport RecheckedAction recheck",
        "replay.reparse_run": "ReparseProgress",
        "replay.recoveries": "FailedTurn RecoveryReport recoveries",
        "replay.reparse": "ReparseReport reparse",
        "replay.rerun": "rerun",
        "replay.rerun_report": "Cause Divergence RerunReport SessionRerun",
        "replay.reviewer_agreement": "ReviewerAgreement reviewer_agreement",
        "replay.shrink": "Shrunk shrink shrink_group",
        "replay.steps": "Step Steps WorkspaceState steps",
        "ledger.upkeep.forgetting.records": "ForgetReport",
        "runtime.session.preview": "Preview",
        "runtime.session.runtime": "Runtime",
        "runtime.session.states.settings": "ManifestSettings",
        "imports.sources.base": "LeftOut Refusal",
        "imports.sources.tables": "frame_sessions",
        "reading.tolerant_json": "DecodeOptions Decoded Found decode decode_all find_value",
        "core.recordings": "Permission RecordedCall RecordedResult RecordedSession RecordedTurn SessionDetails Usage",
        "core.values": "ActionCall Approval Block FieldError Issue Observation ParseResult RawAction Reading Repair Span Turn",
        "report.viewing": "SessionView view",
        "core.vocabulary": "Capture DecisionKind Judgement Relation ReviewAspect TitleOrigin",
        "runtime.workspace.undo": "Undone",
    }
)
"""The module of each public name, loaded on first access."""

# Functions that lower layers need from higher ones.
register("drawing", f"{__name__}.report.looks")
register("forgetting", f"{__name__}.runtime.session.erasure")
register("recording turns", f"{__name__}.imports.turn_recorder")

_ROOMS = {"charts": "report.charts", "statistics": "replay.statistics.public"}
"""Packages whose own names are public, as in ``al.charts.funnel``."""

__all__ = ["__version__", *_MODULES, *_ROOMS]  # noqa: PLE0604 - the table has them


def __dir__() -> list[str]:
    return sorted(__all__)


def load_ipython_extension(shell: Any) -> None:
    """Register ``%%action`` and ``%%sql`` in a notebook; IPython calls this for ``%load_ext actionledger``."""
    import_module(f"{__name__}.magics").load(shell)


if not TYPE_CHECKING:  # otherwise type checkers would take a missing name for Any

    def __getattr__(name: str) -> Any:
        if name in _ROOMS:
            return import_module(f"{__name__}.{_ROOMS[name]}")
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
        globals()[name] = value
        return value
