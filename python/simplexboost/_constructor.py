"""The estimators' one constructor: its arguments, their texts for the library, and their help."""

from __future__ import annotations

import functools
import textwrap
import types
from typing import Any

from sklearn.base import BaseEstimator

from . import _core
from ._parameters import OPTIONS, option_texts


class Constructor(BaseEstimator):
    """Every option of the command, under the names that scikit-learn's users know."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "__init__" in vars(cls):
            return
        # A constructor named after the class, which is the name that errors about arguments begin with.
        inherited: Any = cls.__init__
        own: Any = types.FunctionType(
            inherited.__code__, inherited.__globals__, closure=inherited.__closure__
        )
        own.__defaults__, own.__kwdefaults__ = inherited.__defaults__, inherited.__kwdefaults__
        functools.update_wrapper(own, inherited).__qualname__ = f"{cls.__qualname__}.__init__"
        cls.__init__ = own  # type: ignore[method-assign]

    def __init__(
        self,
        algorithm: str = "auto",
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
        budget: float | str | None = None,
        distil: bool = False,
        warm_start: bool = False,
        verbose: int = 0,
        n_jobs: int | None = None,
        device: str = "cpu",
        random_state: Any = 0,
    ) -> None:
        self.algorithm = algorithm
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.loss = loss
        self.objective = objective
        self.codewords = codewords
        self.dimension = dimension
        self.posterior = posterior
        self.learner = learner
        self.max_depth = max_depth
        self.max_leaf_nodes = max_leaf_nodes
        self.n_factors = n_factors
        self.linear_features = linear_features
        self.leaf_values = leaf_values
        self.leaf_precision = leaf_precision
        self.criterion = criterion
        self.categorical_splits = categorical_splits
        self.subset_values = subset_values
        self.sketch = sketch
        self.sketch_kind = sketch_kind
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_leaf = min_weight_leaf
        self.min_gain = min_gain
        self.l2_regularization = l2_regularization
        self.uninformed_share = uninformed_share
        self.subsample = subsample
        self.max_features = max_features
        self.bootstrap = bootstrap
        self.node_features = node_features
        self.thresholds = thresholds
        self.split_noise = split_noise
        self.image_shape = image_shape
        self.filters = filters
        self.monotone_constraints = monotone_constraints
        self.interaction_constraints = interaction_constraints
        self.resample = resample
        self.weight_floor = weight_floor
        self.max_bins = max_bins
        self.histogram_memory = histogram_memory
        self.categorical_features = categorical_features
        self.class_weight = class_weight
        self.costs = costs
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.early_stopping_metric = early_stopping_metric
        self.early_stopping_rule = early_stopping_rule
        self.early_stopping_start = early_stopping_start
        self.margin_rows = margin_rows
        self.relaxation = relaxation
        self.margin_smoothing = margin_smoothing
        self.phase_patience = phase_patience
        self.phases = phases
        self.tree_search = tree_search
        self.search_steps = search_steps
        self.base_candidates = base_candidates
        self.base_gap = base_gap
        self.quality = quality
        self.n_folds = n_folds
        self.budget = budget
        self.distil = distil
        self.warm_start = warm_start
        self.verbose = verbose
        self.n_jobs = n_jobs
        self.device = device
        self.random_state = random_state

    def _option_texts(self) -> dict[str, str]:
        given = {name: getattr(self, name) for name in OPTIONS}
        for name in ("loss", "codewords", "learner"):
            if not isinstance(given[name], str):
                given[name] = None
        return option_texts(given)

    def _pair(self) -> Any:
        """The gamma-phi pair that the user gave in the place of a loss's name."""
        return None if isinstance(self.loss, str) else self.loss


def describe_parameters() -> str:
    """The constructor's arguments, in the words of the command's --help."""
    table = {row["name"]: row for row in _core.parameter_table()}
    lines = ["Parameters", "----------"]
    for name, option in OPTIONS.items():
        help_text = table[option]["help"]
        lines += [name, *textwrap.wrap(help_text, 92, initial_indent="    ", subsequent_indent="    ")]
    lines += [
        "objective",
        "    A loss of your own by its derivatives: a function (labels, scores) -> (pulls, curvature).",
        "categorical_features",
        "    'from_dtype' (categories and strings of pandas, polars and Arrow), None, or a list of",
        "    positions, names or booleans.",
        "validation_fraction",
        "    Share of the rows set aside for validation, each class in its share, where fit gets no",
        "    eval_set; None: 0.1 if n_iter_no_change is given, else none.",
        "quality",
        "    'fast': one training. 'default': cross-fitted, so that rounds and sureness come from the",
        "    data. 'best': a weighted ensemble of unlike settings, cross-fitted. The latter two set",
        "    oof_score_, oof_estimate_, oof_proba_ and oof_decision_function_. 'auto': 'default', but",
        "    'fast' where n_estimators, an algorithm, a loss, an objective, codewords, their dimension, a",
        "    learner, early stopping, rows for validation, constraints, metrics, callbacks or a model to go",
        "    on from are given, for several labels a row, and for less than 50 rows. quality_ tells what it",
        "    was.",
        "n_folds",
        "    Folds of cross-fitting; None: as the number of rows suggests.",
        "budget",
        "    Time after which no further member of an ensemble is begun, in seconds or as text ('90s',",
        "    '10m', '2h'); None: no limit.",
        "distil",
        "    True: for quality 'default' and 'best', keep one model that is trained on the ensemble's",
        "    probabilities, for fast prediction; distil_cost_ tells what it costs.",
        "warm_start",
        "    True: fit goes on from the model of the last fit, up to n_estimators rounds in all, with",
        "    its features and classes.",
        "verbose",
        "    1: a progress bar on standard error (tqdm's where it is installed).",
        "",
        "None leaves an option to the algorithm. class_weight may be a dict from class to weight,",
        "costs and codewords matrices, loss an object with gamma and phi, learner a scikit-learn",
        "regressor that grows one tree, or an object with grow(X, pulls, weights) -> Tree. n_jobs None",
        "is all cores, or as many as OMP_NUM_THREADS says. monotone_constraints may be a dict from",
        "feature (name or position) to (sign, class), or of two classes to the sign alone,",
        "interaction_constraints a list of lists of features.",
    ]
    return "\n".join("    " + line if line else "" for line in lines)
