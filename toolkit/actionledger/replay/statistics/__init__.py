"""Tests of whether a difference is more than chance: between two parses of the same turns, two sets of turns, and over time."""

from actionledger.replay.statistics.agreement import (
    Coefficient as Coefficient,
    JudgedItem as JudgedItem,
    cohen_kappa as cohen_kappa,
    fleiss_kappa as fleiss_kappa,
    krippendorff_alpha as krippendorff_alpha,
    resampled_difference as resampled_difference,
)
from actionledger.replay.statistics.changes import (
    ChangePoint as ChangePoint,
    change_points as change_points,
    holm as holm,
)
from actionledger.replay.statistics.paired import (
    least_by_flipping as least_by_flipping,
    mcnemar as mcnemar,
    paired_difference as paired_difference,
    session_test as session_test,
    shifted as shifted,
    task_difference as task_difference,
    task_test as task_test,
)
from actionledger.replay.statistics.unpaired import (
    difference_test as difference_test,
    is_dealt as is_dealt,
    permutation_test as permutation_test,
    permutation_tests as permutation_tests,
    score_test as score_test,
    smallest_p_value as smallest_p_value,
    unpaired_difference as unpaired_difference,
)
