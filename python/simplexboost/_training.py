"""From rows to a model: the tables to train on and to watch, the rounds, and their log."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _core
from ._fitted import Fitted
from ._input import Columns, check_sparse_size, label_weights, make_table, sample_weights
from ._labels import class_names
from ._learner import Learner
from ._parameters import threads, with_python_names
from .callbacks import Callback, ProgressBar, Round, logger


@dataclass
class Watched:
    """A validation table, with what its figures are computed from."""

    table: _core.Table
    truth: np.ndarray  # codes, or an indicator matrix, NaN where a label is unknown
    weights: np.ndarray | None
    label_weights: np.ndarray | None = None  # rows x labels, 0: unknown; for several labels a row


class Training(Fitted):
    """The parts of `fit` that do not ask how many labels a row has."""

    classes_: np.ndarray

    def _label_table(self, table: _core.Table, y: Any, columns: list[str]) -> Watched:
        """Sets the labels of a table of known classes."""
        raise NotImplementedError

    def _row_losses(self, scores: np.ndarray, watched: Watched) -> dict[str, np.ndarray]:
        raise NotImplementedError

    def _training_table(
        self, X: Any, texts: dict[str, str], init: _core.Model | None
    ) -> _core.Table:
        wide = int(texts.get("max-bins", "0")) > 256
        check_sparse_size(X, 8 if texts.get("learner") == "linear" else 2 if wide else 1)
        columns = Columns(self.categorical_features, model=init)
        table = make_table(self, X, columns, reset=init is None)
        if table.rows < 2:
            raise ValueError(f"training needs at least two rows; got n_samples={table.rows}")
        return table

    def _validation_tables(
        self, table: _core.Table, eval_set: Any, texts: dict[str, str]
    ) -> tuple[_core.Table, list[Watched]]:
        """The table to train on and those to watch."""
        if eval_set is not None:
            if isinstance(eval_set, tuple):
                eval_set = [eval_set]
            return table, [self._eval_table(one, table) for one in eval_set]
        share = self.validation_fraction
        if share is None:
            share = 0.1 if self.n_iter_no_change else 0.0
        if share == 0:
            return table, []
        if not 0 < share <= 0.9:
            raise ValueError(f"validation_fraction: {share} is out of range; give 0 to 0.9")
        train, valid = table.split(float(share), int(texts["seed"]))
        return train, [Watched(valid, np.empty(0), None)]

    def _eval_table(self, given: Any, like: _core.Table) -> Watched:
        if not isinstance(given, (tuple, list)) or len(given) not in (2, 3, 4):
            raise ValueError(
                "eval_set: give a list of pairs (X, y), or triples (X, y, weight), or (X, y, "
                "weight, label_weight)"
            )
        X, y, weight, label_weight = [*given, None, None][:4]
        columns = Columns(self.categorical_features, like=like)
        table = make_table(self, X, columns, reset=False)
        watched = self._label_table(table, y, like.label_columns)
        weights = sample_weights(weight, table.rows)
        if weights is not None:
            table.set_weights(weights)
        if label_weight is not None:
            self._weigh_labels(watched, label_weight)
        if watched.label_weights is not None:
            shares = watched.label_weights.mean(axis=1)
            weights = shares if weights is None else shares * weights
        watched.weights = weights
        return watched

    def _weigh_labels(self, watched: Watched, label_weight: Any) -> None:
        if watched.truth.ndim == 1:
            raise ValueError(
                "eval_set: figures of one label a row have no use for label_weight; leave it out, "
                "or weigh the rows"
            )
        table = watched.table
        weights = label_weights(label_weight, table.rows, class_names(self.classes_))
        table.weigh_labels(weights)
        known = watched.label_weights
        watched.label_weights = weights.astype(float) * (1 if known is None else known)
        if not watched.label_weights.any():
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
        valid: Sequence[Watched],
        texts: dict[str, str],
        callbacks: Sequence[Callback] | None,
        init: _core.Model | None,
    ) -> None:
        listeners: list[Callback] = list(callbacks or [])
        bar = ProgressBar() if self.verbose else None
        if bar is not None:
            listeners.append(bar)
        total = int(texts["rounds"])

        def on_round(number: int, metrics: dict[str, float]) -> bool:
            state = Round(number + 1, total, metrics)
            # All of them hear of the round, whoever wants to stop.
            return all([listener(state) is not False for listener in listeners])  # noqa: C419

        watched = valid[-1].table if valid else None
        try:
            self.model_ = with_python_names(
                _core.train,
                table,
                texts,
                valid=watched,
                on_round=on_round if listeners else None,
                loss=self._pair(),
                objective=self.objective,
                init=init,
                codewords=self._codeword_matrix(),
                learner=None if isinstance(self.learner, str) else Learner(self.learner),
            )
        finally:
            if bar is not None:
                bar.close()
        logger.info(
            "%s: %d rounds (%s)", self.model_.algorithm, self.model_.rounds, self.model_.stop_reason
        )
        self._set_results(valid)

    def _set_results(self, valid: Sequence[Watched]) -> None:
        log = self.model_.log
        results: dict[str, dict[str, list[float]]] = {"train": {}}
        last = f"valid_{max(len(valid), 1) - 1}"
        for i, one in enumerate(valid[:-1]):
            results[f"valid_{i}"] = self._evaluate_rounds(one)
        for column, values in log.items():
            if column.startswith("valid_"):
                results.setdefault(last, {})[column.removeprefix("valid_")] = values.tolist()
            else:
                results["train"][column.removeprefix("train_")] = values.tolist()
        self.evals_result_ = results
        self.n_estimators_ = self.model_.rounds
        self.best_iteration_ = self._best_iteration(results.get(last))
        self.stop_reason_ = self.model_.stop_reason

    def _best_iteration(self, figures: dict[str, list[float]] | None) -> int:
        """The number of rounds that did best on the last validation set; without one, all."""
        if not figures or int(self.model_.parameters["early-stopping"]) > 0:
            return int(self.model_.rounds)
        by_error = self.model_.parameters["early-stopping-metric"] == "error"
        watched = figures["error" if by_error or "log_loss" not in figures else "log_loss"]
        if not watched:
            return 0
        if np.isnan(watched).all():
            return int(self.model_.rounds)
        return int(np.nanargmin(watched)) + 1

    def _evaluate_rounds(self, one: Watched) -> dict[str, list[float]]:
        """The figures that training logs of its own validation set, for another one."""
        figures: dict[str, list[float]] = {}
        stages = _core.Stages(self.model_, one.table, threads=threads(self.n_jobs))
        for rounds in range(1, self.model_.rounds + 1):
            scores = stages.scores(rounds)
            for name, losses in self._row_losses(scores, one).items():
                figures.setdefault(name, []).append(float(np.average(losses, weights=one.weights)))
        return figures
