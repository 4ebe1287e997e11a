"""Variants of how a model is set to work, over the same tasks: recorded as sessions, compared with a test."""

from actionledger.replay.experiments.runner import Budget, ExperimentProgress, experiment
from actionledger.replay.experiments.variants import Experiment, Variant

__all__ = ["Budget", "Experiment", "ExperimentProgress", "Variant", "experiment"]
