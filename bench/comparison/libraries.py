"""The peers behind one face. Each is trained on arrays with a clock that is told of every round
and says when time is up, and afterwards predicts: after each round, in a batch, row by row.

Settings that mean the same in all of them have one name here:
    rounds, leaves, rate, l2, min_rows, row_share, feature_share
"""

import pickle

import numpy

SEED = 1


def table(values, categorical):
    """A data frame where there are categories, which all peers know how to read."""
    if not categorical:
        return values
    import pandas

    frame = pandas.DataFrame(values)
    for column in categorical:
        frame[column] = pandas.Categorical(values[:, column].astype(int))
    return frame


class Library:
    scalar = numpy.float32  # what it takes without a copy

    def __init__(self, settings, classes, categorical, threads):
        self.settings = settings
        self.classes = classes
        self.categorical = categorical
        self.threads = threads

    def found_settings(self):
        """Settings that it chose for itself by the number of rounds it was given."""
        return {}

    def table(self, values):
        return table(numpy.ascontiguousarray(values, self.scalar), self.categorical)


class RoundByRound(Library):
    """Libraries whose boosters are told to take one more round."""

    def fit(self, x, y, clock, valid=None):
        self.start(x, y)
        clock.start_rounds()
        total, best = 0, (numpy.inf, 0)
        for done in range(self.settings["rounds"]):
            self.update(done)
            out_of_time = clock.round_is_last()
            if valid is not None:
                total = total + self.increment(valid.x, done)
                best = min(best, (valid.log_loss(total), done + 1))
            if out_of_time or (valid is not None and done + 1 - best[1] >= valid.patience):
                break
        if valid is not None:
            valid.best_log_loss, valid.best_rounds = best

    def staged_scores(self, x):
        total = 0
        for done in range(self.rounds_done()):
            total = total + self.increment(x, done)
            yield total


class XGBoost(RoundByRound):
    strategy = "one_output_per_tree"
    ends = "ubj"

    def __init__(self, *arguments):
        super().__init__(*arguments)
        import xgboost

        self.library = xgboost
        self.version = xgboost.__version__
        self.base = None

    def start(self, x, y):
        names = {
            "leaves": "max_leaves", "rate": "eta", "l2": "lambda", "min_weight": "min_child_weight",
            "row_share": "subsample", "feature_share": "colsample_bytree",
        }  # fmt: skip
        parameters = {names[key]: value for key, value in self.settings.items() if key in names}
        parameters |= {
            "objective": "multi:softprob", "num_class": self.classes, "nthread": self.threads,
            "tree_method": "hist", "seed": SEED, "multi_strategy": self.strategy, "verbosity": 0,
        }  # fmt: skip
        if "leaves" in self.settings:
            parameters |= {"grow_policy": "lossguide", "max_depth": 0}
        self.data = self.library.QuantileDMatrix(
            x, label=y, enable_categorical=True, nthread=self.threads
        )
        self.booster = self.library.Booster(parameters, [self.data])

    def update(self, done):
        self.booster.update(self.data, done)

    def rounds_done(self):
        return self.booster.num_boosted_rounds()

    def margins(self, x, begin, end):
        return self.booster.inplace_predict(x, iteration_range=(begin, end), predict_type="margin")

    def increment(self, x, done):
        """Every prediction includes the constant it started from, whatever the rounds: it counts
        with the first."""
        margins = self.margins(x, done, done + 1)
        if done == 0:
            return margins
        if self.base is None:
            some = x[:1]
            first, second = self.margins(some, 0, 1), self.margins(some, 1, 2)
            self.base = first + second - self.margins(some, 0, 2)
        return margins - self.base

    def scores(self, x):
        return self.booster.inplace_predict(x, predict_type="margin")

    def save(self, path):
        self.booster.save_model(path)


class XGBoostVector(XGBoost):
    strategy = "multi_output_tree"

    def table(self, values):
        """Its vector trees know no categories: they go in as numbers."""
        return numpy.ascontiguousarray(values, self.scalar)


class LightGBM(RoundByRound):
    ends = "txt"

    def __init__(self, *arguments):
        super().__init__(*arguments)
        import lightgbm

        self.library = lightgbm
        self.version = lightgbm.__version__

    def start(self, x, y):
        names = {
            "leaves": "num_leaves", "rate": "learning_rate", "l2": "lambda_l2",
            "min_rows": "min_data_in_leaf", "row_share": "bagging_fraction",
            "feature_share": "feature_fraction",
        }  # fmt: skip
        parameters = {names[key]: value for key, value in self.settings.items() if key in names}
        if "row_share" in self.settings:
            parameters["bagging_freq"] = 1
        parameters |= {
            "objective": "multiclass", "num_class": self.classes, "num_threads": self.threads,
            "verbose": -1, "seed": SEED,
        }  # fmt: skip
        data = self.library.Dataset(x, y, params=parameters)
        self.booster = self.library.Booster(parameters, data)

    def update(self, _):
        self.booster.update()

    def rounds_done(self):
        return self.booster.current_iteration()

    def increment(self, x, done):
        return self.booster.predict(x, raw_score=True, start_iteration=done, num_iteration=1)

    def scores(self, x):
        return self.booster.predict(x, raw_score=True)

    def save(self, path):
        self.booster.save_model(path)


class CatBoost(Library):
    """Trees of equal cuts on a level, its own kind: 2^depth leaves."""

    ends = "cbm"

    def __init__(self, *arguments):
        super().__init__(*arguments)
        import catboost

        self.library = catboost
        self.version = catboost.__version__

    def fit(self, x, y, clock, valid=None):
        class Listener:
            def after_iteration(self, _):
                return not clock.round_is_last()

        names = {
            "rounds": "iterations", "depth": "depth", "rate": "learning_rate", "l2": "l2_leaf_reg",
            "row_share": "subsample", "feature_share": "rsm", "random_strength": "random_strength",
        }  # fmt: skip
        parameters = {names[key]: value for key, value in self.settings.items() if key in names}
        if "row_share" in self.settings:
            parameters["bootstrap_type"] = "Bernoulli"
        self.model = self.library.CatBoostClassifier(
            loss_function="MultiClass", classes_count=self.classes, thread_count=self.threads,
            random_seed=SEED, allow_writing_files=False, verbose=False, **parameters,
        )  # fmt: skip
        options = {"callbacks": [Listener()]}
        if valid is not None:
            options |= {
                "eval_set": self.library.Pool(valid.x, valid.y, cat_features=self.categorical),
                "early_stopping_rounds": valid.patience,
            }
        data = self.library.Pool(x, y, cat_features=self.categorical)
        clock.start_rounds()
        self.model.fit(data, **options)
        if valid is not None:
            valid.best_rounds = self.model.get_best_iteration() + 1
            valid.best_log_loss = self.model.get_best_score()["validation"]["MultiClass"]

    def found_settings(self):
        return {"rate": self.model.learning_rate_}

    def rounds_done(self):
        return self.model.tree_count_

    def staged_scores(self, x):
        return self.model.staged_predict(
            x, prediction_type="RawFormulaVal", thread_count=self.threads
        )

    def scores(self, x):
        return self.model.predict(x, prediction_type="RawFormulaVal", thread_count=self.threads)

    def save(self, path):
        self.model.save_model(path)


class TimeIsUp(Exception):
    pass


class HistGradientBoosting(Library):
    """scikit-learn's. It tells nobody of its rounds, so its growers are counted: K a round."""

    scalar = numpy.float64
    ends = "pickle"

    def __init__(self, *arguments):
        super().__init__(*arguments)
        import sklearn
        from sklearn.ensemble import HistGradientBoostingClassifier

        self.classifier = HistGradientBoostingClassifier
        self.version = sklearn.__version__

    def fit(self, x, y, clock, valid=None):
        names = {
            "rounds": "max_iter", "leaves": "max_leaf_nodes", "rate": "learning_rate",
            "l2": "l2_regularization", "min_rows": "min_samples_leaf",
            "feature_share": "max_features",
        }  # fmt: skip
        parameters = {names[key]: value for key, value in self.settings.items() if key in names}
        options = {}
        if valid is not None:
            parameters |= {"scoring": "loss", "n_iter_no_change": valid.patience}
            options = {"X_val": valid.x, "y_val": valid.y}
        self.model = self.classifier(
            early_stopping=valid is not None, random_state=SEED, **parameters
        )
        with counted_growers(1 if self.classes == 2 else self.classes, clock):
            try:
                self.model.fit(x, y, **options)
                clock.round_is_last()
            except TimeIsUp:
                self.model._in_fit = False  # else it takes what it is given for binned
        if valid is not None:
            # Not there if time was up in the first round.
            scores = getattr(self.model, "validation_score_", None)
            if scores is None or len(scores) == 0:
                scores = self.validation_scores(valid)
            losses = -numpy.asarray(scores)[1:]
            valid.best_rounds = int(losses.argmin()) + 1
            valid.best_log_loss = float(losses.min())

    def validation_scores(self, valid):
        return [-numpy.inf, *(-valid.log_loss(scores) for scores in self.staged_scores(valid.x))]

    def rounds_done(self):
        return self.model.n_iter_

    def staged_scores(self, x):
        return self.model._staged_raw_predict(self.model._preprocess_X(x, reset=False))

    def scores(self, x):
        return self.model.decision_function(x)

    def save(self, path):
        with open(path, "wb") as file:
            pickle.dump(self.model, file)


class counted_growers:
    """Ends a round of the clock whenever the first tree of the next one begins."""

    def __init__(self, trees_a_round, clock):
        from sklearn.ensemble._hist_gradient_boosting import gradient_boosting

        self.module = gradient_boosting
        self.grower = gradient_boosting.TreeGrower
        self.trees_a_round = trees_a_round
        self.clock = clock
        self.begun = 0

    def make(self, *arguments, **options):
        if self.begun == 0:
            self.clock.start_rounds()
        elif self.begun % self.trees_a_round == 0 and self.clock.round_is_last():
            raise TimeIsUp
        self.begun += 1
        return self.grower(*arguments, **options)

    def __enter__(self):
        self.module.TreeGrower = self.make

    def __exit__(self, *_):
        self.module.TreeGrower = self.grower


LIBRARIES = {
    "xgboost": XGBoost,
    "xgboost-vector": XGBoostVector,
    "lightgbm": LightGBM,
    "catboost": CatBoost,
    "sklearn": HistGradientBoosting,
}
