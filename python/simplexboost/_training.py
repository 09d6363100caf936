"""From rows to a model: the tables to train on and to watch, the rounds, and their log."""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from . import _core
from ._batches import read_batches
from ._certainty import Certainty
from ._explaining import Explaining
from ._input import Columns, label_weights, make_table, sample_weights
from ._labels import class_names
from ._learner import Learner
from ._parameters import budget_seconds, with_python_names
from .callbacks import Callback, Dashboard, ProgressBar, Round, logger
from .metrics import EvalMetrics


def warn_of_one_training() -> None:
    warnings.warn(
        "the values of features and classes are more than are cross-fitted without being asked "
        "(docs/quality.md), so this is one training; a tenth of the rows says when it ends",
        UserWarning,
        stacklevel=2,
    )


def warn_of_repeats(share: float) -> None:
    warnings.warn(
        f"{share:.0%} of the rows equal another in every feature; if those are the same case, the "
        "estimate is too good: give fit(groups=)",
        UserWarning,
        stacklevel=2,
    )


class Training(Certainty, Explaining):
    """The parts of `fit` that do not ask how many labels a row has."""

    classes_: np.ndarray
    quality_: str
    _peers: Any = None  # other processes that train with this one (bindings/peers.h)

    def _training_table(self, X: Any, init: _core.Model | None) -> _core.Table:
        columns = Columns(self.categorical_features, model=init, every=self._peers is not None)
        table = make_table(self, X, columns, reset=init is None)
        if table.rows < 2 and self._peers is None:
            raise ValueError(f"training needs at least two rows; got n_samples={table.rows}")
        return table

    def _too_large(self, table: _core.Table) -> bool:
        """Whether quality 'auto' is one training since the rows, of all processes, are too many to be
        cross-fitted."""
        if self.quality_ == "fast":
            return False
        values, most = table.cross_fit_size(self._peers)
        if values <= most:
            return False
        asked = any((self.n_folds, self.budget, self.distil, hasattr(self, "_groups")))
        if self.quality == "auto" and not asked:
            return True
        if self._peers is not None and self._peers.size > 1:
            raise ValueError(
                f"quality: {values} values of features and classes are more than the {most} that every "
                "worker can have to cross-fit them; leave quality, n_folds, groups, budget and distil "
                "out, cross-fit a sample of the rows, or use one process"
            )
        return False

    def _train_once(self, table: _core.Table, texts: dict[str, str]) -> dict[str, str]:
        """Its parameters then; a tenth of the rows says when it ends."""
        self.quality_ = "fast"
        if self._peers is None:
            warn_of_one_training()
        return with_python_names(_core.large_training, table, texts)

    def _validation_tables(
        self, table: _core.Table, eval_set: Any, texts: dict[str, str], share: float | None
    ) -> tuple[_core.Table, list[_core.Table]]:
        """The table to train on and those to watch."""
        if eval_set is not None:
            if not isinstance(eval_set, list):
                eval_set = [eval_set]
            return table, [self._eval_table(one, table) for one in eval_set]
        if share is None:
            share = 0.1 if self.n_iter_no_change else 0.0
        if share == 0:
            return table, []
        if not 0 < share <= 0.9:
            raise ValueError(f"validation_fraction: {share} is out of range; give 0 to 0.9")
        train, valid = table.split(float(share), int(texts["seed"]), peers=self._peers)
        return train, [valid]

    def _eval_table(self, given: Any, like: _core.Table) -> _core.Table:
        if given is None and self._peers is not None:  # other processes have rows
            return like.without_rows()
        if not isinstance(given, (tuple, list)) or len(given) not in (2, 3, 4):
            raise ValueError(
                "eval_set: give a list of pairs (X, y), or triples (X, y, weight), or (X, y, "
                "weight, label_weight)"
            )
        X, y, weight, label_weight = [*given, None, None][:4]
        X, y = read_batches(X, y)
        columns = Columns(self.categorical_features, like=like)
        table = make_table(self, X, columns, reset=False)
        truth = self._label_table(table, y, like.label_columns)
        weights = sample_weights(weight, table.rows)
        if weights is not None:
            table.set_weights(weights)
        if label_weight is not None:
            self._weigh_labels(table, truth, label_weight)
        return table

    def _weigh_labels(self, table: _core.Table, truth: np.ndarray, label_weight: Any) -> None:
        if truth.ndim == 1:
            raise ValueError(
                "eval_set: figures of one label a row have no use for label_weight; leave it out, "
                "or weigh the rows"
            )
        weights = label_weights(label_weight, table.rows, class_names(self.classes_))
        table.weigh_labels(weights)
        if not weights[~np.isnan(truth)].any():
            raise ValueError("eval_set: no label that is known has a weight above 0")

    def _codeword_matrix(self) -> list[float]:
        """The codewords that the user gave in the place of a kind's name, line by line."""
        if isinstance(self.codewords, str):
            return []
        matrix = np.asarray(self.codewords, dtype=np.float32)
        if matrix.ndim != 2 or len(matrix) != len(self.classes_):
            raise ValueError(
                f"codewords: give a name, or a matrix of {len(self.classes_)} lines, one a class"
            )
        return list(matrix.ravel().tolist())

    def _fit_table(
        self,
        table: _core.Table,
        valid: Sequence[_core.Table],
        texts: dict[str, str],
        callbacks: Sequence[Callback] | None,
        init: _core.Model | None,
    ) -> None:
        listeners: list[Callback] = list(callbacks or [])
        if self.verbose:
            listeners.append(ProgressBar())
        metrics = getattr(self, "_metrics", EvalMetrics())
        metrics.choose(texts)

        def on_round(number: int, total: int, metrics: dict[str, float]) -> bool:
            state = Round(number + 1, total, metrics)
            # All of them hear of the round, whoever wants to stop.
            return all([listener(state) is not False for listener in listeners])  # noqa: C419

        for name in ("oof_proba_", "oof_decision_function_", "distil_cost_"):
            self.__dict__.pop(name, None)
        try:
            if self.quality_ != "fast":
                self._cross_fit(table, texts, on_round if listeners else None, init)
            else:
                self.model_ = with_python_names(
                    _core.train,
                    table,
                    texts,
                    valid=valid[-1] if valid else None,
                    also_valid=list(valid[:-1]),
                    on_round=on_round if listeners else None,
                    loss=self._pair(),
                    objective=self.objective,
                    init=init,
                    codewords=self._codeword_matrix(),
                    learner=None if isinstance(self.learner, str) else Learner(self.learner),
                    checkpoint=getattr(self, "_checkpoint", _core.Checkpoint()),
                    **metrics.options(self.classes_, len(valid)),
                    peers=self._peers,
                )
        finally:
            for listener in listeners:
                if isinstance(listener, (ProgressBar, Dashboard)):
                    listener.close()
        logger.info(
            "%s: %d rounds (%s)", self.model_.algorithm, self.model_.rounds, self.model_.stop_reason
        )
        self._set_results(metrics)

    def _cross_fit(
        self, table: _core.Table, texts: dict[str, str], on_round: Any, init: _core.Model | None
    ) -> None:
        own = [
            name
            for name, given in (
                ("loss", self._pair() is not None),
                ("objective", self.objective is not None),
                ("codewords", not isinstance(self.codewords, str)),
                ("learner", not isinstance(self.learner, str)),
                ("warm_start", init is not None),
                ("eval_metric", bool(getattr(self, "_metrics", EvalMetrics()).given)),
            )
            if given
        ]
        if own:
            raise ValueError(f"{own[0]}: quality={self.quality_!r} has no place for one's own")
        groups = self.__dict__.pop("_groups", None)
        if self._peers is not None:
            table = table.gathered(self._peers)
        self.model_, scores, proba, cost, repeats = with_python_names(
            _core.train_quality,
            table,
            texts,
            self.quality_,
            folds=self.n_folds or 0,
            groups=[] if groups is None else groups,
            budget=budget_seconds(self.budget) if self.budget else 0.0,
            distil=bool(self.distil),
            members=self.__dict__.pop("_members", []),
            on_round=on_round,
            checkpoint=getattr(self, "_checkpoint", _core.Checkpoint()),
            peers=self._peers,
        )
        if proba is not None:  # interrupted before every fold had a round, there are none
            self.oof_proba_ = proba.astype(np.float64)
            self.oof_decision_function_ = self._decision(scores)
        if cost is not None:
            self.distil_cost_ = cost
        if repeats > 0:
            warn_of_repeats(repeats)

    def _decision(self, scores: np.ndarray) -> np.ndarray:
        raise NotImplementedError

    def _set_results(self, metrics: EvalMetrics | None = None) -> None:
        """The log, parted by data sets: the figures of the last `eval_set` have no number in it."""
        results: dict[str, dict[str, list[float]]] = {"train": {}}
        watched: dict[str, list[float]] = {}
        for column, values in self.model_.log.items():
            numbered = re.fullmatch(r"(valid_\d+)_(.+)", column)
            if numbered:
                results.setdefault(numbered[1], {})[numbered[2]] = values.tolist()
            elif column.startswith("valid_"):
                watched[column.removeprefix("valid_")] = values.tolist()
            else:
                results["train"][column.removeprefix("train_")] = values.tolist()
        last = f"valid_{len(results) - 1}"
        if watched:
            results[last] = watched
        self.evals_result_ = results
        self.n_estimators_ = self.model_.rounds
        self.best_iteration_ = self._best_iteration(results.get(last), metrics)
        self.stop_reason_ = self.model_.stop_reason

    def _best_iteration(
        self, figures: dict[str, list[float]] | None, metrics: EvalMetrics | None
    ) -> int:
        """The number of rounds that did best on the last validation set; without one, all."""
        if not figures or int(self.model_.parameters["early-stopping"]) > 0:
            return int(self.model_.rounds)
        own = None if metrics is None else metrics.watched
        if own is not None:
            watched, higher = figures[own.name], own.greater_is_better
        else:
            name = self.model_.parameters["early-stopping-metric"]
            known = name.replace("-", "_") in figures and name not in ("risk", "error")
            watched = figures[name.replace("-", "_") if known else "risk" if name == "risk" else "error"]
            higher = known and _core.higher_is_better(name, self.model_.multi_label)
        if not watched:
            return 0
        if np.isnan(watched).all():
            return int(self.model_.rounds)
        return int(np.nanargmax(watched) if higher else np.nanargmin(watched)) + 1
