"""Experiments: variants of a model's setup over the same tasks, recorded as sessions and compared with a test."""

from actionledger.replay.experiments.runner import Budget, ExperimentProgress, experiment
from actionledger.replay.experiments.variants import Experiment, Variant

__all__ = ["Budget", "Experiment", "ExperimentProgress", "Variant", "experiment"]
