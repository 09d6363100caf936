"""What can listen to training: `fit(X, y, callbacks=[...])` calls each after every round."""

from __future__ import annotations

import logging
import os
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from . import _core
from ._parameters import file_name
from ._report import framed

logger = logging.getLogger("simplexboost")


@dataclass(frozen=True)
class Round:
    """Where training stands after a round."""

    number: int  # rounds done, from 1
    total: int  # rounds to do at most
    metrics: Mapping[str, float]  # train_error, valid_error, valid_log_loss, step, ...


#: Returning False ends training after this round, with a usable model; anything else goes on.
Callback = Callable[[Round], Any]


def listeners_of(callbacks: Any) -> list[Callback]:
    """What fit is given as `callbacks`."""
    if callbacks is None:
        return []
    listeners: list[Any] = list(callbacks) if isinstance(callbacks, Iterable) else [None]
    if not all(map(callable, listeners)):
        raise ValueError(f"callbacks: {callbacks!r:.60} is no list of functions; give [f, ...]")
    return listeners


class LogRounds:
    """Writes the figures of every `period`-th round to the logger `simplexboost`."""

    def __init__(self, period: int = 1, level: int = logging.INFO) -> None:
        self.period = period
        self.level = level

    def __call__(self, state: Round) -> None:
        if state.number % self.period == 0 or state.number == state.total:
            figures = " ".join(f"{name}={value:.6g}" for name, value in state.metrics.items())
            logger.log(self.level, "round %d/%d: %s", state.number, state.total, figures)


class ProgressBar:
    """A bar on standard error: tqdm's where it is installed, else a line for every tenth."""

    def __init__(self) -> None:
        self._bar: Any = None

    def __call__(self, state: Round) -> None:
        if self._bar is None:
            self._bar = _make_bar(state.total)
        self._bar.show(state)
        if state.number == state.total:
            self.close()

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()
            self._bar = None


class Dashboard:
    """A page with the curves and the time left while training goes on: the file `path`, which is
    replaced about every second, for people on remote machines; without one it is shown below the
    cell of a notebook. It only looks on: training is what it is without."""

    def __init__(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        title: str = "training",
        seconds: float = 1.0,
    ) -> None:
        self.path = "" if path is None else file_name("path", path)
        self.title = title
        self.seconds = seconds
        self._page: Any = None
        self._shown: Any = None
        self._drawn = 0.0

    def __call__(self, state: Round) -> None:
        if self._page is None:
            self._page = _core.Dashboard(self.path, self.title, self.seconds)
            self._page.start(state.total)
        self._page.round(state.number - 1, dict(state.metrics))
        if time.monotonic() - self._drawn >= self.seconds:
            self._show()

    def close(self) -> None:
        """Training is over."""
        if self._page is None:
            return
        self._page.finish("")
        self._show()
        if self._page.problem:
            warnings.warn(f"the dashboard was not written: {self._page.problem}", stacklevel=2)
        self._page = self._shown = None

    def _show(self) -> None:
        self._drawn = time.monotonic()
        if self.path or not _in_notebook():
            return
        from IPython.display import HTML, display

        page = HTML(framed(self._page.html(), "34rem"))
        if self._shown is None:
            self._shown = display(page, display_id=True)
        else:
            self._shown.update(page)


def _in_notebook() -> bool:
    """Whether there is a place for HTML."""
    module = sys.modules.get("IPython")
    shell = module.get_ipython() if module is not None else None
    return shell is not None and getattr(shell, "kernel", None) is not None


class OptunaPruning:
    """Tells a trial of Optuna a figure of every round, and ends training by `optuna.TrialPruned`,
    which reaches the caller of `fit`, where the trial is not worth going on.

    `metric`: as `evals_result_` has it, of the last `eval_set`; the study's direction must be its.
    """

    def __init__(self, trial: Any, metric: str = "log_loss") -> None:
        self.trial = trial
        self.metric = metric

    def __call__(self, state: Round) -> None:
        name = f"valid_{self.metric}"
        if name not in state.metrics:
            known = ", ".join(
                one.removeprefix("valid_") for one in state.metrics if one.startswith("valid_")
            )
            raise ValueError(f"metric: {self.metric!r} is not judged; there is {known or 'no eval_set'}")
        self.trial.report(state.metrics[name], state.number)
        if self.trial.should_prune():
            from optuna import TrialPruned

            raise TrialPruned(f"round {state.number}: {self.metric} {state.metrics[name]:.6g}")


def _make_bar(total: int) -> Any:
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return _Lines()
    return _TqdmBar(tqdm(total=total, unit="round"))


class _TqdmBar:
    def __init__(self, bar: Any) -> None:
        self.bar = bar

    def show(self, state: Round) -> None:
        error = state.metrics.get("valid_error", state.metrics.get("train_error"))
        if error is not None:
            self.bar.set_postfix(error=f"{error:.4f}", refresh=False)
        self.bar.update(state.number - self.bar.n)

    def close(self) -> None:
        self.bar.close()


class _Lines:
    def show(self, state: Round) -> None:
        if state.number * 10 // state.total > (state.number - 1) * 10 // state.total:
            print(f"round {state.number} of {state.total}", file=sys.stderr)

    def close(self) -> None:
        pass
