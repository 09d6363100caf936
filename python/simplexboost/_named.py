"""One class for each row of the algorithm table: `simplexboost algorithms` lists the rows.

A test fails where the table has a row that no class here names, and the other way round.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from . import _core
from ._estimator import SimplexBoostClassifier

T = TypeVar("T", bound=type)

#: Row of the algorithm table -> its class.
NAMED: dict[str, type] = {}
_ROWS = {row["name"] for row in _core.algorithms()}


def _row(algorithm: str) -> Callable[[T], T]:
    """Fixes the algorithm of a class: no longer an argument of its constructor."""

    def fix(cls: T) -> T:
        general: Any = cls.__init__  # type: ignore[misc]  # named after the class
        signature = inspect.signature(general)
        kept = [one for one in signature.parameters.values() if one.name != "algorithm"]

        def __init__(self, **parameters):  # type: ignore[no-untyped-def]
            if "algorithm" in parameters:
                raise TypeError(f"{cls.__name__} has no parameter 'algorithm'; it is {algorithm!r}")
            general(self, **parameters)
            del self.algorithm  # the class's own shows instead

        __init__.__signature__ = signature.replace(parameters=kept)  # type: ignore[attr-defined]
        __init__.__doc__ = general.__doc__
        cls.__init__ = __init__  # type: ignore[misc]
        cls.algorithm = algorithm  # type: ignore[attr-defined]
        if algorithm in _ROWS:
            NAMED[algorithm] = cls
        return cls

    return fix


class _Named(SimplexBoostClassifier):
    """The general estimator without its first argument. What `_row` does to constructors while the module is
    loaded no type checker sees: for these they are written out, and a test compares the two."""

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            n_estimators: int | None = None,
            learning_rate: float | None = None,
            loss: Any = "auto",
            objective: Any = None,
            codewords: Any = "auto",
            dimension: int | None = None,
            posterior: str = "exact",
            learner: Any = "auto",
            max_depth: int | None = None,
            max_leaf_nodes: int | None = None,
            n_factors: int = 3,
            linear_features: int = 1,
            leaf_values: str = "auto",
            leaf_precision: str = "auto",
            criterion: str = "auto",
            categorical_splits: str = "subset",
            subset_values: int = 64,
            sketch: int | None = None,
            sketch_kind: str = "projection",
            min_samples_leaf: int = 1,
            min_weight_leaf: float = 0.0,
            min_gain: float = 0.0,
            l2_regularization: float | None = None,
            uninformed_share: float | None = None,
            subsample: float = 1.0,
            max_features: float | None = None,
            bootstrap: str = "auto",
            node_features: float | None = None,
            thresholds: str = "auto",
            split_noise: float | None = None,
            image_shape: Any = None,
            filters: int | None = None,
            monotone_constraints: Any = None,
            interaction_constraints: Any = None,
            resample: str = "none",
            weight_floor: float | None = None,
            max_bins: int | None = None,
            histogram_memory: float = 0.0,
            categorical_features: Any = "from_dtype",
            class_weight: Any = None,
            costs: Any = None,
            validation_fraction: float | None = None,
            n_iter_no_change: int | None = None,
            early_stopping_metric: str = "auto",
            early_stopping_rule: str = "best",
            early_stopping_start: int | None = None,
            margin_rows: float | None = None,
            relaxation: float | None = None,
            margin_smoothing: float | None = None,
            phase_patience: int | None = None,
            phases: int = 2,
            tree_search: str | None = None,
            search_steps: int | None = None,
            base_candidates: int = 1,
            base_gap: int = 1,
            quality: str = "auto",
            n_folds: int | None = None,
            budget: float | None = None,
            distil: bool = False,
            warm_start: bool = False,
            verbose: int = 0,
            n_jobs: int | None = None,
            device: str = "cpu",
            random_state: Any = 0,
        ) -> None: ...


@_row("newton")
class NewtonBoostClassifier(_Named):
    """Second-order vector trees on the logistic gamma-phi loss: the default algorithm."""


@_row("gd-mcboost")
class GDMCBoostClassifier(_Named):
    """GD-MCBoost (jmlr2019, nips2011): all components of the predictor at once, exact steps."""


@_row("cd-mcboost")
class CDMCBoostClassifier(_Named):
    """CD-MCBoost (jmlr2019): in each round the component whose step lowers the risk most."""


@_row("cd-mcboost-cyclic")
class CDMCBoostCyclicClassifier(_Named):
    """CD-MCBoost (nips2011): one component of the predictor after the other."""


@_row("adaboost-mh")
class AdaBoostMHClassifier(_Named):
    """AdaBoost.MH with Hamming trees (icml2014)."""


@_row("all-pairs")
class AllPairsClassifier(_Named):
    """All pairs: an AdaBoost of its own for every two classes, whose votes are added up."""


@_row("ecoc")
class ECOCClassifier(_Named):
    """Error-correcting output codes: an AdaBoost for every column of a random code."""


@_row("samme")
class SAMMEClassifier(_Named):
    """SAMME (Zhu et al. 2009): AdaBoost for K classes."""


@_row("adaboost-m1")
class AdaBoostM1Classifier(_Named):
    """AdaBoost.M1 (Freund and Schapire 1997)."""


@_row("grploss")
class GrPlossClassifier(_Named):
    """GrPloss (jmlr2005) for shares of the classes that sum to 1."""


@_row("grploss-general")
class GrPlossGeneralClassifier(_Named):
    """GrPloss (jmlr2005) with the shorter steps of hypotheses without a sum of 1."""


@_row("boostma")
class BoostMAClassifier(_Named):
    """BoostMA (jmlr2005): the right class against the uninformed share."""


@_row("adaboost-mm")
class AdaBoostMMClassifier(_Named):
    """AdaBoost.MM (AdaBoost-Cost of nips2011): the class of least cost."""


@_row("adaboost-m2")
class AdaBoostM2Classifier(_Named):
    """AdaBoost.M2 (Freund and Schapire 1997): sets of plausible classes."""


@_row("adaboost-mr")
class AdaBoostMRClassifier(_Named):
    """AdaBoost.MR (Schapire and Singer 1999): ranks labels that hold above the others."""


@_row("dmcboost")
class DMCBoostClassifier(_Named):
    """DMCBoost (kdd2014): minimises the error itself, then maximises the smallest margins."""


@_row("logitboost")
class LogitBoostClassifier(_Named):
    """LogitBoost (Friedman, Hastie and Tibshirani 2000)."""


@_row("robust-logitboost")
class RobustLogitBoostClassifier(_Named):
    """Robust LogitBoost (Li 2010)."""


@_row("mart")
class MARTClassifier(_Named):
    """MART (Friedman 2001): gradient boosting with a tree for each class."""


@_row("abc-logitboost")
class ABCLogitBoostClassifier(_Named):
    """ABC-LogitBoost (Li 2009): with an adaptively chosen base class."""


@_row("abc-mart")
class ABCMARTClassifier(_Named):
    """ABC-MART (Li 2009): MART with an adaptively chosen base class."""


@_row("aoso-logitboost")
class AOSOLogitBoostClassifier(_Named):
    """AOSO-LogitBoost (Sun, Reid and Zhou 2012): in each node one pair of classes moves."""


@_row("one-vs-all")
class OneVsAllClassifier(_Named):
    """One binary AdaBoost for each class."""


@_row("adaboost-ecc")
class AdaBoostECCClassifier(_Named):
    """AdaBoost.ECC (Guruswami and Sahai 1999): in each round a colouring of the classes."""


@_row("adaboost-ecc-random")
class AdaBoostECCRandomClassifier(_Named):
    """AdaBoost.ECC with colourings drawn at random."""


@_row("forest")
class ForestClassifier(_Named):
    """A random forest or extra trees, with an out-of-bag estimate (`oof_estimate_`)."""
