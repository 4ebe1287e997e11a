"""Whether a difference is more than chance: between two readings of the same turns, two sets of turns, and over time."""

from actionledger.replay.statistics.agreeing import (
    Coefficient as Coefficient,
    Thing as Thing,
    cohen_kappa as cohen_kappa,
    fleiss_kappa as fleiss_kappa,
    krippendorff_alpha as krippendorff_alpha,
)
from actionledger.replay.statistics.changes import (
    ChangePoint as ChangePoint,
    change_points as change_points,
)
from actionledger.replay.statistics.exact import fisher as fisher
from actionledger.replay.statistics.paired import (
    mcnemar as mcnemar,
    paired_difference as paired_difference,
    session_test as session_test,
)
from actionledger.replay.statistics.resampling import resampled_difference as resampled_difference
from actionledger.replay.statistics.several import holm as holm
from actionledger.replay.statistics.tasks import task_difference as task_difference, task_test as task_test
from actionledger.replay.statistics.unpaired import (
    score_test as score_test,
    unpaired_difference as unpaired_difference,
)
