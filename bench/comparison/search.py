"""Peers at the best of random settings, as many as a time allows: each is trained on three quarters
of the rows until the log loss of the rest has not fallen for a while; the best is trained on all."""

import time
import zlib

import numpy

from comparison import sets
from comparison.program_names import TUNABLE
from comparison.tuned import PATIENCE
from comparison.tuned import SPACES as DRAWN

MOST_ROUNDS = 1000
# What bench/peers calls a setting, and the library.
BOOST = {
    "rate": "learning_rate", "leaves": "max_leaves", "row_share": "subsample",
    "feature_share": "colsample_bytree", "l2": "reg_lambda", "min_weight": "min_child_weight",
}  # fmt: skip
SPACES = {
    "lightgbm": {
        "rate": "learning_rate", "leaves": "num_leaves", "row_share": "subsample",
        "feature_share": "colsample_bytree", "l2": "reg_lambda", "min_rows": "min_child_samples",
    },
    "xgboost": BOOST,
    "xgboost-vector": BOOST,
    "catboost": {
        "rate": "learning_rate", "depth": "depth", "row_share": "subsample",
        "feature_share": "rsm", "l2": "l2_leaf_reg", "random_strength": "random_strength",
    },
    "sklearn": {
        "rate": "learning_rate", "leaves": "max_leaf_nodes", "feature_share": "max_features",
        "l2": "l2_regularization", "min_rows": "min_samples_leaf",
    },
}  # fmt: skip
assert list(SPACES) == TUNABLE
ROUNDS = {"catboost": "iterations", "sklearn": "max_iter"}  # n_estimators for the others
# What ends a trial, besides its most rounds, and what else no trial has a choice of.
WATCHED = {
    "xgboost": {"early_stopping_rounds": PATIENCE, "eval_metric": "mlogloss"},
    "xgboost-vector": {"early_stopping_rounds": PATIENCE, "eval_metric": "mlogloss"},
    "sklearn": {"early_stopping": True, "n_iter_no_change": PATIENCE, "scoring": "loss"},
}
FIXED = {
    "lightgbm": {"subsample_freq": 1},
    "xgboost": {"max_depth": 0, "grow_policy": "lossguide"},
    "xgboost-vector": {"max_depth": 0, "grow_policy": "lossguide"},
    "catboost": {"bootstrap_type": "Bernoulli"},
    "sklearn": {},
}
# For the last training, whose rounds are known.
UNWATCHED = {
    "xgboost": {"early_stopping_rounds": None},
    "xgboost-vector": {"early_stopping_rounds": None},
    "sklearn": {"early_stopping": False},
}


def rounds_name(name):
    return ROUNDS.get(name, "n_estimators")


def draw(name, trial):
    """Of a trial; the first is the library as it comes, but for its rounds."""
    watched = {rounds_name(name): MOST_ROUNDS} | WATCHED.get(name, {})
    if trial == 0:
        return watched
    generator = numpy.random.default_rng([zlib.crc32(name.encode()), trial])
    drawn = {key: DRAWN[name][key].draw(generator) for key in SPACES[name]}
    return watched | FIXED[name] | {SPACES[name][key]: value for key, value in drawn.items()}


def take(table, rows):
    return table.iloc[rows] if hasattr(table, "iloc") else table[rows]


def fit_watched(name, model, fit, valid, options):
    """Returns the rounds of the least log loss of `valid`, and that."""
    if name == "lightgbm":
        import lightgbm

        model.fit(*fit, eval_set=[valid], eval_metric="multi_logloss",
                  callbacks=[lightgbm.early_stopping(PATIENCE, verbose=False)])  # fmt: skip
        return model.best_iteration_, min(next(iter(model.best_score_.values())).values())
    if name == "sklearn":
        model.fit(*fit, X_val=valid[0], y_val=valid[1])
        scores = numpy.asarray(model.validation_score_)  # that of no rounds is the first
        rounds = max(int(scores.argmax()), 1)
        return rounds, -scores[rounds]
    if name.startswith("xgboost"):
        model.fit(*fit, eval_set=[valid], verbose=False)
        return model.best_iteration + 1, model.best_score
    model.fit(*fit, eval_set=valid, early_stopping_rounds=PATIENCE, **options)
    return model.get_best_iteration() + 1, model.get_best_score()["validation"]["MultiClass"]


def search(name, make, table, labels, options, seconds):
    """The model, and how many trials there were. The last training may take a third of the time."""
    begun = time.perf_counter()
    rows = sets.part_rows(labels.tolist(), 0.25, numpy.random.default_rng(1))
    fit, valid = ((take(table, part), labels[part]) for part in rows)
    best, trials, longest = None, 0, 0.0
    while trials == 0 or time.perf_counter() - begun + longest < 2 / 3 * seconds:
        settings = draw(name, trials)
        trials += 1
        before = time.perf_counter()
        rounds, loss = fit_watched(name, make().set_params(**settings), fit, valid, options)
        longest = max(longest, time.perf_counter() - before)
        if best is None or loss < best[0]:
            best = (loss, rounds, settings)
    _, rounds, settings = best
    settings = settings | {rounds_name(name): rounds} | UNWATCHED.get(name, {})
    return make().set_params(**settings).fit(table, labels, **options), trials
