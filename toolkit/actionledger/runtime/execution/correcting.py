"""How a profile's model is told to put a refused action right: in the words and the dialect that it wrote it in. Pure."""

from actionledger.actions.guidance import correction
from actionledger.core.errors import UsageError
from actionledger.core.values import ActionCall
from actionledger.runtime.execution.feedback import Correct, say_what_is_wrong
from actionledger.runtime.execution.profile import Profile
from actionledger.runtime.execution.prompting import dialect_of, writer


def corrector(profile: Profile) -> Correct:
    """Return what says how a refused action is written rightly under a profile."""

    def correct(call: ActionCall, with_format: bool) -> str:
        try:
            dialect = dialect_of(profile, call.dialect)
        except UsageError:  # a baseline parser has formats that are only read
            return say_what_is_wrong(call, with_format)
        return correction(call, profile.catalogue, writer(dialect), with_format=with_format)

    return correct
