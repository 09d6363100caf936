"""What a trained estimator gives: predictions, and what was learnt."""

from __future__ import annotations

import numbers
import os
import warnings
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import check_scalar
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from . import _core
from ._constructor import Constructor
from ._device import is_on_device, like
from ._input import Columns, feature_places, make_table
from ._parameters import file_name, threads


def _tells_proba(estimator: Any) -> bool:
    """Error-correcting output codes tell none (the others' models say so where they do not)."""
    return bool(estimator.algorithm != "ecoc")


if TYPE_CHECKING:
    Method = TypeVar("Method", bound=Callable[..., Any])

    def where_told(method: Method) -> Method:
        """As below; scikit-learn's comes without types."""
        return method
else:
    where_told = available_if(_tells_proba)


class Fitted(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Constructor):
    """All that reads `model_`, and does not ask how many labels a row has."""

    model_: _core.Model

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        if tags.transformer_tags is not None:
            tags.transformer_tags.preserves_dtype = []
        return tags

    def _more_tags(self) -> dict[str, Any]:  # scikit-learn before 1.6
        return {"allow_nan": True, "preserves_dtype": []}

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "model_")

    @property
    def _n_features_out(self) -> int:
        return int(self.model_.outputs)

    def _table(self, X: Any) -> _core.Table:
        """Rows to predict."""
        check_is_fitted(self)
        columns = Columns(self.categorical_features, model=self.model_)
        return make_table(self, X, columns, reset=False)

    def __getstate__(self) -> Any:
        state = super().__getstate__()
        state.pop("_device_model", None)
        return state

    @property
    def _predictor(self) -> _core.Model:
        """The model, on the device that `device` names: its trees stay there between calls."""
        if self.device == "cpu":
            return self.model_
        held = getattr(self, "_device_model", None)
        if held is None or held[0] is not self.model_ or held[1] != self.device:
            try:
                moved = _core.on_device(self.model_, self.device)
            except ValueError as error:  # a model may well come to a machine without a GPU
                warnings.warn(f"{error}; predicting on the CPU", RuntimeWarning, stacklevel=3)
                moved = self.model_
            held = self._device_model = (self.model_, self.device, moved)
        return held[2]

    def _class_scores(self, X: Any) -> NDArray[np.float32]:
        table = self._table(X)
        return self._predictor.predict_scores(table, threads=threads(self.n_jobs))

    def _staged_scores(self, X: Any) -> Iterator[NDArray[np.float32]]:
        table = self._table(X)
        stages = _core.Stages(self.model_, table, threads=threads(self.n_jobs))
        for rounds in range(1, self.model_.rounds + 1):
            yield stages.scores(rounds)

    @where_told
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Probabilities of the classes, rows x classes, in the order of `classes_`. Those of an
        array of cupy, torch or jax on a GPU are such an array, too."""
        table = self._table(X)
        pair = self._pair()
        if pair is not None and not self.model_.has_proba:
            proba = self.model_.predict_pair_proba(table, pair, threads=threads(self.n_jobs))
            return proba.astype(np.float64)
        predictor, count = self._predictor, threads(self.n_jobs)
        if not is_on_device(X):
            return predictor.predict_proba(table, threads=count)
        there = _core.predict_there(predictor, table, proba=True, threads=count)
        if there is None:
            there = predictor.predict_proba(table, threads=count)
        return cast("NDArray[np.float64]", like(there, X))

    @where_told
    def staged_predict_proba(self, X: Any) -> Iterator[NDArray[np.float64]]:
        """`predict_proba` after each round."""
        for scores in self._staged_scores(X):
            yield self.model_.scores_to_proba(scores)

    def transform(self, X: Any) -> NDArray[np.float32]:
        """The predictor's values, rows x dimension of the codewords: an embedding of the rows
        in the space where each class has its codeword (`codewords_`)."""
        table = self._table(X)
        return self._predictor.predict_outputs(table, threads=threads(self.n_jobs))

    def apply(self, X: Any) -> NDArray[np.uint32]:
        """The leaf of each row in each tree, rows x trees."""
        table = self._table(X)
        return self.model_.predict_leaves(table, threads=threads(self.n_jobs))

    # What to expect of it.

    @property
    def oof_estimate_(self) -> dict[str, Any] | None:
        """What the model is expected to do on new rows, from training rows that those who judged
        them had not seen: `error`, `log_loss` and `calibration`, each (value, low, high) with an
        interval of 95 %, and the same for each of `classes` (calibration: of that class against the
        rest). None where there is none."""
        check_is_fitted(self)
        return cast("dict[str, Any] | None", self.model_.estimate)

    @property
    def oof_score_(self) -> float:
        """The accuracy that `oof_estimate_` expects; for several labels a row, of the labels."""
        estimate = self.oof_estimate_
        if estimate is None:
            raise AttributeError(
                "oof_score_: the model has no estimate; train with quality 'default' or 'best', or "
                "a forest that draws its rows"
            )
        return 1 - float(estimate["error"][0])

    # What was learnt.

    @property
    def codewords_(self) -> NDArray[np.float32]:
        """The codewords, classes x dimension; the unit vectors where the algorithm has none."""
        check_is_fitted(self)
        codewords = self.model_.codewords
        if codewords is None:
            return np.eye(len(self.model_.classes), dtype=np.float32)
        return np.asarray(codewords, dtype=np.float32)

    def importance(self, kind: str = "gain", *, per_class: bool = False) -> NDArray[np.float64]:
        """What each feature gave to the model: the sum of the gains of its splits (`kind` "gain")
        or their number ("split"). With `per_class`, features x classes: each split counts for a
        class in proportion to the square of what it changes in the class's score."""
        check_is_fitted(self)
        if kind not in ("gain", "split"):
            raise ValueError(f"kind: {kind!r} is unknown; give 'gain' or 'split'")
        if per_class:
            return self.model_.class_importance(kind == "gain")
        return self.model_.importance()[:, 0 if kind == "gain" else 1]

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Shares of the features in the gain of all splits; of their number where no gain is
        recorded. They sum to 1, unless nothing was split."""
        gains = self.importance("gain")
        total = gains if gains.sum() > 0 else self.importance("split")
        shares = total / total.sum() if total.sum() > 0 else total
        places = None if self.model_.named else feature_places(self.model_.feature_names)
        if places is None:
            return shares
        of_all = np.zeros(self.n_features_in_)
        of_all[places] = shares
        return of_all

    def tree_text(self, number: int) -> str:
        """One tree in words, a line a node."""
        check_is_fitted(self)
        check_scalar(number, "number", numbers.Integral, min_val=0, max_val=self.model_.trees - 1)
        return str(self.model_.tree_text(number))

    # Files.

    def save_model(self, path: str | os.PathLike[str]) -> None:
        """Writes the model file that the command reads, too; the old file or the new one."""
        check_is_fitted(self)
        self.model_.save(file_name("path", path))

    # Other programs.

    def to_onnx(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        classic: bool = False,
        single: bool = False,
    ) -> bytes:
        """The model as ONNX, written to `path` where one is given. The graph takes a matrix of
        features (categories as codes, NaN where missing) in double precision, or with `single` in
        single precision, and gives labels, probabilities and scores. `classic` uses the operators
        of ai.onnx.ml 3 in the place of TreeEnsemble."""
        check_is_fitted(self)
        return _written(self.model_.to_onnx(classic, single), path)

    def to_header(self, path: str | os.PathLike[str] | None = None, *, name: str = "model") -> str:
        """The model as one header of C99 and C++11 that allocates nothing, written to `path` where
        one is given. Its functions begin with `name`: `model_class(row)`, `model_scores(row,
        scores)`, `model_proba(row, probabilities)`."""
        check_is_fitted(self)
        return _written(self.model_.to_header(name).encode(), path).decode()

    def to_treelite(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        raw: bool = False,
        linear_aside: bool = False,
    ) -> bytes:
        """The model as a Treelite checkpoint, written to `path` where one is given:
        `treelite.Model.deserialize(path)` or `deserialize_bytes(...)` reads it, and TL2cgen
        compiles it. With `raw` it gives scores in the place of probabilities. An ensemble has a
        target for each member; its `attributes` tell how to pool them. Treelite has no linear
        terms: with `linear_aside` it gives scores without them, and they are in the attributes."""
        check_is_fitted(self)
        return _written(self.model_.to_treelite(raw, linear_aside), path)

    def to_json(self, path: str | os.PathLike[str] | None = None) -> str:
        """The whole model as JSON that a person can read, written to `path` where one is given."""
        check_is_fitted(self)
        return _written(self.model_.to_json().encode(), path).decode()


def _written(content: bytes, path: str | os.PathLike[str] | None) -> bytes:
    """Writes a file that is the old one or the whole new one, and gives back its content."""
    if path is not None:
        _core.write_file(file_name("path", path), content)
    return content
