"""Monotone and interaction constraints: no prediction breaks them, and they are needed."""

import numpy as np
import pandas as pd
import pytest

from simplexboost import SimplexBoostClassifier

ROWS = 100_000


@pytest.fixture(scope="module")
def noisy():
    """The class depends on features, up and down, with much noise."""
    generator = np.random.default_rng(4)
    x = generator.normal(size=(1500, 4))
    x[generator.random(x.shape) < 0.05] = np.nan
    clean = np.nan_to_num(x)
    value = clean[:, 0] + np.sin(2 * clean[:, 1]) + clean[:, 2] * clean[:, 3]
    value += generator.normal(size=1500)
    names = np.array(["low", "middle", "high", "other"])
    labels = np.digitize(value, [-0.8, 0.8])
    return x, names[np.where(generator.random(1500) < 0.1, 3, labels)]


def fitted(noisy, **settings):
    settings = {"n_estimators": 30, "max_leaf_nodes": 12, "n_jobs": 1, **settings}
    return SimplexBoostClassifier(**settings).fit(*noisy)


def worst_fall(model, feature, label, sign, rows=ROWS):
    """By how much the score of a class falls, or those of others rise, as a feature grows: scores
    of pairs of rows that differ in this feature alone."""
    generator = np.random.default_rng(9)
    low = generator.normal(scale=1.5, size=(rows, 4))
    low[generator.random(low.shape) < 0.05] = np.nan
    low[:, feature] = generator.normal(scale=1.5, size=rows)
    high = low.copy()
    high[:, feature] += sign * generator.exponential(size=rows)
    scores = [model.model_.predict_scores(model._table(one), threads=1) for one in (low, high)]
    change = scores[1] - scores[0]
    own = list(model.classes_).index(label)
    others = np.delete(change, own, axis=1)
    return max(-change[:, own].min(), others.max())


@pytest.mark.parametrize(
    "settings",
    [{}, {"sketch": 2}, {"leaf_precision": "bfloat16"}, {"max_depth": 4, "max_leaf_nodes": None}],
    ids=["plain", "sketch", "bfloat16", "levels"],
)
def test_scores_go_one_way_to_the_last_bit(noisy, settings):
    wanted = {0: (1, "high"), 1: (-1, "low"), 2: (1, "middle")}
    model = fitted(noisy, monotone_constraints=wanted, **settings)
    for feature, (sign, label) in wanted.items():
        assert worst_fall(model, feature, label, sign) <= 0
    free = fitted(noisy, **settings)
    assert worst_fall(free, 1, "low", -1, rows=5000) > 0.1  # they do not obey by themselves
    assert model.score(*noisy) > 0.5


def test_log_odds_and_probabilities_follow(noisy):
    model = fitted(noisy, monotone_constraints={0: (1, "high")})
    x = np.random.default_rng(2).normal(size=(2000, 4))
    more = x + [[1.0, 0, 0, 0]]
    before, after = model.predict_proba(x), model.predict_proba(more)
    own = list(model.classes_).index("high")
    assert (after[:, own] >= before[:, own] - 1e-12).all()
    odds = [np.log(p[:, [own]]) - np.log(p) for p in (before, after)]
    assert (odds[1] >= odds[0] - 1e-9).all()


def test_of_two_classes_the_second_is_meant(noisy):
    x, y = noisy
    model = SimplexBoostClassifier(n_estimators=15, monotone_constraints=[1, 0, 0, 0])
    model.fit(x, y == "high")
    assert worst_fall(model, 0, True, 1, rows=5000) <= 0
    assert "monotone" in model.model_.parameters


def features_on_paths(model):
    for number in range(model.model_.trees):
        tree = model.model_.tree(number)
        paths = {0: frozenset()}
        for i, feature in enumerate(tree["feature"]):
            path = paths[i] | {int(feature)}
            yield path
            for child in (tree["left"][i], tree["right"][i]):
                if child >= 0:
                    paths[int(child)] = path


@pytest.mark.parametrize("algorithm", ["newton", "gd-mcboost", "logitboost", "aoso-logitboost"])
def test_paths_stay_within_groups(noisy, algorithm):
    groups = [[0, 1], [1, 2]]
    settings = {"algorithm": algorithm, "n_estimators": 10, "max_depth": 4, "max_leaf_nodes": None}
    model = fitted(noisy, interaction_constraints=groups, **settings)
    allowed = [{0, 1}, {1, 2}, {3}]
    paths = list(features_on_paths(model))
    assert any(len(path) == 2 for path in paths)
    assert all(any(path <= group for group in allowed) for path in paths)
    free = list(features_on_paths(fitted(noisy, **settings)))
    assert not all(any(path <= group for group in allowed) for path in free)


def test_the_command_says_the_same(noisy, simplexboost, tmp_path):
    x, y = noisy
    table = pd.DataFrame(x, columns=list("abcd"))
    table["class"] = y
    table.to_csv(tmp_path / "d.csv", index=False)
    words = ["--monotone", "a:+high,#2:-low", "--interactions", "a,b;c,d", "--seed", "0"]
    shape = ["--rounds", "30", "--leaves", "12"]
    simplexboost.succeed("train", "d.csv", "-m", "m.sb", *words, *shape, "--quiet")
    ours = SimplexBoostClassifier(
        n_estimators=30,
        max_leaf_nodes=12,
        monotone_constraints={"a": (1, "high"), 1: (-1, "low")},
        interaction_constraints=[["a", "b"], ["c", "d"]],
    ).fit(table[list("abcd")], y)
    scores = simplexboost.succeed("predict", "m.sb", "d.csv", "--scores").splitlines()[1:]
    told = np.array([line.split(",") for line in scores], dtype=float)
    found = ours.model_.predict_scores(ours._table(table[list("abcd")]), threads=1)
    np.testing.assert_allclose(told, found, rtol=1e-6, atol=1e-7)
    for text, message in [
        ("e:+high", "feature"),
        ("a:+hihg", "high"),
        ("a+high", "FEATURE:+CLASS"),
        ("a:+", "names no class"),
        ("a:+high,a:-low", "twice"),
        ("#9:+high", "#9"),
    ]:
        assert message in simplexboost.fail(
            "train", "d.csv", "-m", "n.sb", "--monotone", text, "--rounds", "2", status=2
        )


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"algorithm": "adaboost-mh", "monotone_constraints": {0: (1, "high")}}, "adaboost-mh"),
        ({"algorithm": "gd-mcboost", "monotone_constraints": {0: (1, "high")}}, "gd-mcboost"),
        ({"algorithm": "forest", "interaction_constraints": [[0, 1]]}, "forest"),
        ({"algorithm": "dmcboost", "interaction_constraints": [[0, 1]]}, "dmcboost"),
        ({"quality": "default", "monotone_constraints": {0: (1, "high")}}, "pool of models"),
        ({"monotone_constraints": {0: 1}}, "names no class"),
        ({"monotone_constraints": {0: 2}}, "is not -1, 0, 1"),
        ({"interaction_constraints": [[0, 7]]}, "#8"),
    ],
)
def test_what_cannot_obey_is_refused(noisy, settings, message):
    with pytest.raises(ValueError, match=message):
        fitted(noisy, **{"n_estimators": 2, "max_leaf_nodes": None, **settings})


def test_categories_have_no_order():
    table = pd.DataFrame({"a": pd.Categorical(list("xyz") * 20), "b": np.arange(60.0)})
    model = SimplexBoostClassifier(n_estimators=2, monotone_constraints={"a": 1})
    with pytest.raises(ValueError, match="categories, which have no order"):
        model.fit(table, np.arange(60) % 2)
