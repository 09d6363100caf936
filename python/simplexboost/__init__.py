"""Multiclass boosting for many classes, noisy labels and tight time."""

from __future__ import annotations

from . import _core
from ._certainty import Suspects, suspects
from ._estimator import SimplexBoostClassifier, SimplexBoostMultiLabelClassifier, load_model
from ._exchange import from_lightgbm, from_xgboost
from ._learner import Tree
from ._memory import set_memory
from ._named import (
    ABCLogitBoostClassifier,
    ABCMARTClassifier,
    AdaBoostECCClassifier,
    AdaBoostECCRandomClassifier,
    AdaBoostM1Classifier,
    AdaBoostM2Classifier,
    AdaBoostMHClassifier,
    AdaBoostMMClassifier,
    AdaBoostMRClassifier,
    AllPairsClassifier,
    AOSOLogitBoostClassifier,
    BoostMAClassifier,
    CDMCBoostClassifier,
    CDMCBoostCyclicClassifier,
    DMCBoostClassifier,
    ECOCClassifier,
    ForestClassifier,
    GDMCBoostClassifier,
    GrPlossClassifier,
    GrPlossGeneralClassifier,
    LogitBoostClassifier,
    MARTClassifier,
    NewtonBoostClassifier,
    OneVsAllClassifier,
    RobustLogitBoostClassifier,
    SAMMEClassifier,
)
from ._report import Page, compare
from ._tuning import CrossValidation, Trial, Tuning, cv, tune
from .callbacks import Dashboard, LogRounds, OptunaPruning, ProgressBar, Round
from .explain import Effect, Explanation, PermutationImportance
from .metrics import EvalMetric

__version__ = _core.version
algorithms = _core.algorithms

__all__ = [
    "ABCLogitBoostClassifier",
    "ABCMARTClassifier",
    "AOSOLogitBoostClassifier",
    "AdaBoostECCClassifier",
    "AdaBoostECCRandomClassifier",
    "AdaBoostM1Classifier",
    "AdaBoostM2Classifier",
    "AdaBoostMHClassifier",
    "AdaBoostMMClassifier",
    "AdaBoostMRClassifier",
    "AllPairsClassifier",
    "BoostMAClassifier",
    "CDMCBoostClassifier",
    "CDMCBoostCyclicClassifier",
    "CrossValidation",
    "DMCBoostClassifier",
    "Dashboard",
    "ECOCClassifier",
    "Effect",
    "EvalMetric",
    "Explanation",
    "ForestClassifier",
    "GDMCBoostClassifier",
    "GrPlossClassifier",
    "GrPlossGeneralClassifier",
    "LogRounds",
    "LogitBoostClassifier",
    "MARTClassifier",
    "NewtonBoostClassifier",
    "OneVsAllClassifier",
    "OptunaPruning",
    "Page",
    "PermutationImportance",
    "ProgressBar",
    "RobustLogitBoostClassifier",
    "Round",
    "SAMMEClassifier",
    "SimplexBoostClassifier",
    "SimplexBoostMultiLabelClassifier",
    "Suspects",
    "Tree",
    "Trial",
    "Tuning",
    "__version__",
    "algorithms",
    "compare",
    "cv",
    "from_lightgbm",
    "from_xgboost",
    "load_model",
    "set_memory",
    "suspects",
    "tune",
]
