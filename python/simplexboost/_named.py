"""One class for each row of the algorithm table: `simplexboost algorithms` lists the rows.

A test fails where the table has a row that no class here names, and the other way round.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import TypeVar

from . import _core
from ._estimator import SimplexBoostClassifier

T = TypeVar("T", bound=type)

#: Row of the algorithm table -> its class.
NAMED: dict[str, type] = {}
_ROWS = {row["name"] for row in _core.algorithms()}


def _row(algorithm: str) -> Callable[[T], T]:
    """Fixes the algorithm of a class: no longer an argument of its constructor."""

    def fix(cls: T) -> T:
        general = SimplexBoostClassifier.__init__
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


@_row("newton")
class NewtonBoostClassifier(SimplexBoostClassifier):
    """Second-order vector trees on the logistic gamma-phi loss: the default algorithm."""


@_row("gd-mcboost")
class GDMCBoostClassifier(SimplexBoostClassifier):
    """GD-MCBoost (jmlr2019, nips2011): all components of the predictor at once, exact steps."""


@_row("cd-mcboost")
class CDMCBoostClassifier(SimplexBoostClassifier):
    """CD-MCBoost (jmlr2019): in each round the component whose step lowers the risk most."""


@_row("cd-mcboost-cyclic")
class CDMCBoostCyclicClassifier(SimplexBoostClassifier):
    """CD-MCBoost (nips2011): one component of the predictor after the other."""


@_row("adaboost-mh")
class AdaBoostMHClassifier(SimplexBoostClassifier):
    """AdaBoost.MH with Hamming trees (icml2014)."""


@_row("all-pairs")
class AllPairsClassifier(SimplexBoostClassifier):
    """All pairs: an AdaBoost of its own for every two classes, whose votes are added up."""


@_row("ecoc")
class ECOCClassifier(SimplexBoostClassifier):
    """Error-correcting output codes: an AdaBoost for every column of a random code."""


@_row("samme")
class SAMMEClassifier(SimplexBoostClassifier):
    """SAMME (Zhu et al. 2009): AdaBoost for K classes."""


@_row("adaboost-m1")
class AdaBoostM1Classifier(SimplexBoostClassifier):
    """AdaBoost.M1 (Freund and Schapire 1997)."""


@_row("grploss")
class GrPlossClassifier(SimplexBoostClassifier):
    """GrPloss (jmlr2005) for shares of the classes that sum to 1."""


@_row("grploss-general")
class GrPlossGeneralClassifier(SimplexBoostClassifier):
    """GrPloss (jmlr2005) with the shorter steps of hypotheses without a sum of 1."""


@_row("boostma")
class BoostMAClassifier(SimplexBoostClassifier):
    """BoostMA (jmlr2005): the right class against the uninformed share."""


@_row("adaboost-mm")
class AdaBoostMMClassifier(SimplexBoostClassifier):
    """AdaBoost.MM (AdaBoost-Cost of nips2011): the class of least cost."""


@_row("adaboost-m2")
class AdaBoostM2Classifier(SimplexBoostClassifier):
    """AdaBoost.M2 (Freund and Schapire 1997): sets of plausible classes."""


@_row("adaboost-mr")
class AdaBoostMRClassifier(SimplexBoostClassifier):
    """AdaBoost.MR (Schapire and Singer 1999): ranks labels that hold above the others."""


@_row("dmcboost")
class DMCBoostClassifier(SimplexBoostClassifier):
    """DMCBoost (kdd2014): minimises the error itself, then maximises the smallest margins."""


@_row("logitboost")
class LogitBoostClassifier(SimplexBoostClassifier):
    """LogitBoost (Friedman, Hastie and Tibshirani 2000)."""


@_row("robust-logitboost")
class RobustLogitBoostClassifier(SimplexBoostClassifier):
    """Robust LogitBoost (Li 2010)."""


@_row("mart")
class MARTClassifier(SimplexBoostClassifier):
    """MART (Friedman 2001): gradient boosting with a tree for each class."""


@_row("abc-logitboost")
class ABCLogitBoostClassifier(SimplexBoostClassifier):
    """ABC-LogitBoost (Li 2009): with an adaptively chosen base class."""


@_row("abc-mart")
class ABCMARTClassifier(SimplexBoostClassifier):
    """ABC-MART (Li 2009): MART with an adaptively chosen base class."""


@_row("aoso-logitboost")
class AOSOLogitBoostClassifier(SimplexBoostClassifier):
    """AOSO-LogitBoost (Sun, Reid and Zhou 2012): in each node one pair of classes moves."""


@_row("one-vs-all")
class OneVsAllClassifier(SimplexBoostClassifier):
    """One binary AdaBoost for each class."""


@_row("adaboost-ecc")
class AdaBoostECCClassifier(SimplexBoostClassifier):
    """AdaBoost.ECC (Guruswami and Sahai 1999): in each round a colouring of the classes."""


@_row("adaboost-ecc-random")
class AdaBoostECCRandomClassifier(SimplexBoostClassifier):
    """AdaBoost.ECC with colourings drawn at random."""


@_row("forest")
class ForestClassifier(SimplexBoostClassifier):
    """A random forest or extra trees, with an out-of-bag estimate (`oof_estimate_`)."""


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
    "DMCBoostClassifier",
    "ECOCClassifier",
    "ForestClassifier",
    "GDMCBoostClassifier",
    "GrPlossClassifier",
    "GrPlossGeneralClassifier",
    "LogitBoostClassifier",
    "MARTClassifier",
    "NewtonBoostClassifier",
    "OneVsAllClassifier",
    "RobustLogitBoostClassifier",
    "SAMMEClassifier",
]
