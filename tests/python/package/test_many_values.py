"""Categories of many values: told by the labels of other rows, never by a row's own."""

import numpy as np
import pandas as pd
import pytest

from simplexboost import SimplexBoostClassifier

VALUES = 300


def make_rows(rows, seed, values=VALUES):
    """Each name has a class of its own that two rows in three have; x tells a little."""
    generator = np.random.default_rng(seed)
    names = generator.integers(values, size=rows)
    classes = np.random.default_rng(0).integers(4, size=values)[names]
    y = np.where(generator.random(rows) < 2 / 3, classes, generator.integers(4, size=rows))
    table = pd.DataFrame({"x": y + 2 * generator.normal(size=rows)})
    table["name"] = pd.Categorical.from_codes(names, [f"n{v}" for v in range(values)])
    return table, y


def log_loss(model, x, y):
    return -np.log(model.predict_proba(x)[np.arange(len(y)), y]).mean()


def fitted(rows=None, **settings):
    settings = {"n_estimators": 30, "quality": "fast", "random_state": 0, **settings}
    return SimplexBoostClassifier(**settings).fit(*(rows or make_rows(3000, 1)))


@pytest.fixture(scope="module")
def told():
    return fitted()


def test_names_tell_new_rows_of_their_class(told):
    x, y = make_rows(3000, 2)
    with_names = log_loss(told, x, y)
    without = log_loss(fitted((make_rows(3000, 1)[0][["x"]], make_rows(3000, 1)[1])), x[["x"]], y)
    assert with_names < 0.88 * without
    assert with_names < log_loss(fitted(subset_values=10**6), x, y)


@pytest.mark.parametrize("algorithm", ["newton", "gd-mcboost", "adaboost-mh", "logitboost", "forest"])
def test_unique_names_change_nothing(algorithm):
    generator = np.random.default_rng(3)
    x = pd.DataFrame({"x": generator.normal(size=1200)})
    y = (x["x"] + generator.normal(size=1200) > 0).to_numpy().astype(int)
    named = x.assign(id=pd.Categorical([f"row {i}" for i in range(1200)]))
    settings = {"algorithm": algorithm, "n_estimators": 15, "max_features": 1.0}
    if algorithm == "forest":
        settings["node_features"] = 100
    plain = fitted((x[:800], y[:800]), **settings)
    other = fitted((named[:800], y[:800]), **settings)
    assert not (other.model_.tree(0)["feature"] == 1).any()
    if algorithm == "forest":  # its features are drawn
        assert other.score(named[800:], y[800:]) > plain.score(x[800:], y[800:]) - 0.03
        return
    for rows in (slice(0, 800), slice(800, None)):
        np.testing.assert_array_equal(
            other.predict_proba(named[rows]), plain.predict_proba(x[rows])
        )


def test_names_that_say_nothing_do_not_harm_new_rows():
    """A few rows a name: what a name's own rows say of it is noise that is known by heart."""
    generator = np.random.default_rng(5)
    x = pd.DataFrame({"x": generator.normal(size=4000)})
    y = np.digitize(x["x"] + generator.normal(size=4000), [-0.6, 0.6])
    names = pd.Categorical.from_codes(generator.integers(600, size=4000), [f"n{v}" for v in range(600)])
    named = x.assign(name=names)
    plain, other = (fitted((rows[:2000], y[:2000])) for rows in (x, named))
    assert log_loss(other, named[2000:], y[2000:]) < 1.03 * log_loss(plain, x[2000:], y[2000:])


def test_unseen_names_are_like_missing_ones(told):
    x, _ = make_rows(50, 9)
    strange = x.assign(name=pd.Categorical(["never seen"] * 50))
    missing = x.assign(name=pd.Categorical([None] * 50, categories=["n0"]))
    np.testing.assert_array_equal(told.predict_proba(strange), told.predict_proba(missing))
    # As good as knowing nothing: near what x alone says.
    alone = fitted((make_rows(3000, 1)[0][["x"]], make_rows(3000, 1)[1])).predict_proba(x[["x"]])
    assert np.abs(told.predict_proba(strange) - alone).mean() < 0.1


def test_the_model_does_not_depend_on_threads(told):
    assert fitted(n_jobs=2).model_.to_bytes() == fitted(n_jobs=1).model_.to_bytes()
    assert fitted(random_state=1).model_.to_bytes() != told.model_.to_bytes()


def test_large_sets_are_kept_once(told):
    size = len(told.model_.to_bytes())
    nodes = sum(len(told.model_.tree(t)["feature"]) for t in range(told.model_.trees))
    assert size < 250 * nodes


def test_command_streams_explains_and_goes_on(told, simplexboost, tmp_path):
    x, y = make_rows(3000, 1)
    x.assign(label=y).to_csv(tmp_path / "d.csv", index=False)
    new, _ = make_rows(300, 4)
    new.to_csv(tmp_path / "new.csv", index=False)
    words = ["train", "d.csv", "--label", "label", "--rounds", "30", "--quiet"]
    simplexboost.succeed(*words, "-m", "m.sb")
    lines = simplexboost.succeed("predict", "m.sb", "new.csv", "--proba").splitlines()
    found = np.array([line.split(",")[-4:] for line in lines[1:]], dtype=float)
    frame = pd.read_csv(tmp_path / "d.csv", dtype={"name": "category"})
    ours = fitted((frame[["x", "name"]], y))
    np.testing.assert_allclose(found, ours.predict_proba(new), atol=1e-6)
    assert "name" in simplexboost.succeed("explain", "m.sb", "d.csv")
    assert "statistics" in simplexboost.fail(
        *words[:-3], "--rounds", "40", "--init", "m.sb", "-m", "n.sb", status=2
    )
    simplexboost.succeed(*words, "-m", "n.sb", "--subset-values", "400")
    assert "subset-values" in simplexboost.succeed("inspect", "n.sb", "--json")
    assert "subset-values" not in simplexboost.succeed("inspect", "m.sb", "--json")


def test_exported_models_are_the_same(told):
    onnxruntime = pytest.importorskip("onnxruntime")
    treelite = pytest.importorskip("treelite")
    x, _ = make_rows(300, 8)
    x.loc[::7, "name"] = np.nan
    codes = pd.Categorical(x["name"], categories=told.model_.categories[1]).codes.astype(float)
    matrix = np.column_stack([x["x"], np.where(codes < 0, np.nan, codes)])
    expected = told.predict_proba(x)
    session = onnxruntime.InferenceSession(told.to_onnx())
    found = session.run(["probabilities"], {"features": matrix})[0]
    np.testing.assert_allclose(found, expected, atol=1e-6)
    model = treelite.Model.deserialize_bytes(told.to_treelite())
    np.testing.assert_allclose(treelite.gtil.predict(model, matrix)[:, 0], expected, atol=1e-6)


def test_shapley_values_add_up_to_scores(told):
    x, _ = make_rows(20, 8)
    total = told.shap_values(x).sum(axis=1) + told.expected_values()
    np.testing.assert_allclose(total, told.explained_scores(x), atol=1e-4)
