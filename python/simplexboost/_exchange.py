"""Models of other libraries, as ours: for our predictor, reports and explanations."""

from __future__ import annotations

from typing import Any

from . import _core
from ._estimator import SimplexBoostClassifier
from ._parameters import file_name


def from_xgboost(model: Any) -> SimplexBoostClassifier:
    """A classifier that predicts what an XGBoost model does: an `XGBClassifier`, a `Booster`, the
    bytes of `save_raw()` or the path of a file (JSON or UBJSON)."""
    if hasattr(model, "get_booster"):
        return _fitted(model.get_booster().save_raw("ubj"), getattr(model, "classes_", None))
    if hasattr(model, "save_raw"):
        return _fitted(model.save_raw("ubj"))
    return _fitted(model)


def from_lightgbm(model: Any) -> SimplexBoostClassifier:
    """A classifier that predicts what a LightGBM model does: an `LGBMClassifier`, a `Booster`, the
    text of `model_to_string()` or the path of a file."""
    if hasattr(model, "booster_"):
        return _fitted(model.booster_.model_to_string().encode(), getattr(model, "classes_", None))
    if hasattr(model, "model_to_string"):
        return _fitted(model.model_to_string().encode())
    if isinstance(model, str) and model.startswith("tree\n"):
        return _fitted(model.encode())
    return _fitted(model)


def _fitted(source: Any, classes: Any = None) -> SimplexBoostClassifier:
    if isinstance(source, (bytes, bytearray, memoryview)):
        model = _core.Model.import_bytes(bytes(source))
    else:
        model = _core.Model.import_file(file_name("source", source))
    result: SimplexBoostClassifier = SimplexBoostClassifier()._take_model(model)
    if classes is not None and len(classes) == len(model.classes):
        result.classes_ = classes
    return result
