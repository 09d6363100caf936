"""Explanations: shap.TreeExplainer and XGBoost on the same trees, and what estimators return."""

import pickle

import numpy as np
import pandas as pd
import pytest
from safetensors import safe_open
from safetensors.numpy import load_file, save_file

import simplexboost
from simplexboost import ForestClassifier, SimplexBoostClassifier


@pytest.fixture(scope="module")
def fitted(blobs):
    X, y = blobs
    return SimplexBoostClassifier(n_estimators=12, random_state=1).fit(X, y)


def shap_tree(model, number, covers):
    """One of our trees as a tree of shap's: inner nodes first, then leaves."""
    tree = model.tree(number)
    inner = len(tree["left"])
    leaves = len(tree["values"])
    child = [np.where(tree[side] < 0, inner + ~tree[side], tree[side]) for side in ("left", "right")]
    values = np.zeros((inner + leaves, model.outputs))
    values[inner:, tree["output"] : tree["output"] + tree["values"].shape[1]] = tree["values"]
    weight = np.zeros(inner + leaves)
    weight[inner:] = covers
    for i in reversed(range(inner)):
        weight[i] = weight[child[0][i]] + weight[child[1][i]]
    none = np.full(leaves, -1)
    missing = np.where(tree["missing_left"], child[0], child[1]) if inner else []
    return {
        "children_left": np.concatenate([child[0], none]).astype(int),
        "children_right": np.concatenate([child[1], none]).astype(int),
        "children_default": np.concatenate([missing, none]).astype(int),
        "features": np.concatenate([tree["feature"], none]).astype(int),
        "thresholds": np.concatenate([tree["threshold"], np.zeros(leaves)]),
        "values": values,
        "node_sample_weight": weight,
    }


def leaf_covers(model, table):
    leaves = model.predict_leaves(table)
    for t in range(leaves.shape[1]):
        yield np.bincount(leaves[:, t], minlength=len(model.tree(t)["values"]))


@pytest.mark.parametrize("interventional", [False, True])
def test_values_are_those_of_shap(fitted, blobs, interventional):
    shap = pytest.importorskip("shap")
    X, _ = blobs
    model = fitted.model_
    covers = leaf_covers(model, fitted._table(X))
    trees = [shap_tree(model, t, cover) for t, cover in enumerate(covers)]
    background = X[:20] if interventional else None
    explainer = shap.TreeExplainer(
        {"trees": trees, "base_offset": np.zeros(model.outputs)},
        data=background,
        feature_perturbation="interventional" if interventional else "tree_path_dependent",
    )
    wanted = np.asarray(explainer.shap_values(X[:40], check_additivity=False))
    if wanted.shape[0] == model.outputs and wanted.shape[-1] != model.outputs:
        wanted = np.moveaxis(wanted, 0, -1)
    words = fitted.model_.codewords
    if words is not None:
        wanted = wanted @ np.asarray(words, dtype=float).T / 2
    found = fitted.shap_values(X[:40], background=background)
    assert np.abs(found - wanted).max() < 1e-5 * max(1, np.abs(wanted).max())


def with_trees_of(path, frame):
    """Puts XGBoost's trees, of one output, into the model file of ours, with their own covers."""
    arrays = load_file(path)
    with safe_open(path, "np") as file:
        metadata = {k: v for k, v in file.metadata().items() if "crc32" not in k}
    nodes = {name: [] for name in ("feature", "threshold", "left", "right", "flags")}
    counts, leaf_values, covers = [], [], []
    for _, tree in frame.groupby("Tree"):
        inner = {row.ID: i for i, row in enumerate(tree[tree.Feature != "Leaf"].itertuples())}
        leaves = {row.ID: i for i, row in enumerate(tree[tree.Feature == "Leaf"].itertuples())}
        counts.append(len(inner))
        for row in tree.itertuples():
            if row.Feature == "Leaf":
                leaf_values.append(row.Gain)
                covers.append(row.Cover)
                continue
            nodes["feature"].append(int(row.Feature[1:]))
            below = np.nextafter(np.float32(row.Split), np.float32(-np.inf))
            nodes["threshold"].append(below)  # it sends what is less to the left
            for side, child in (("left", row.Yes), ("right", row.No)):
                nodes[side].append(inner[child] if child in inner else ~leaves[child])
            nodes["flags"].append(2 * (row.Missing == row.Yes))
    size = len(nodes["feature"])
    kinds = {"feature": "u4", "threshold": "f8", "left": "i4", "right": "i4", "flags": "u1"}
    for name, values in nodes.items():
        arrays[f"nodes.{name}"] = np.array(values, dtype=kinds[name])
    arrays["nodes.set_begin"] = np.zeros(size, "u4")
    arrays["nodes.set_words"] = np.zeros(size, "u2")
    arrays["nodes.gain"] = np.zeros(0, "f4")
    arrays["sets"] = np.zeros(0, "u4")
    arrays["leaf_values"] = np.array(leaf_values, "f4")
    arrays["leaves.cover"] = np.array(covers, "f4")
    arrays["trees.nodes"] = np.array(counts, "u4")
    for name, value in (("output", 0), ("width", 1), ("linear", 0)):
        arrays[f"trees.{name}"] = np.full(len(counts), value, "u4")
    arrays["rounds.tree_end"] = np.arange(1, len(counts) + 1, dtype="u4")
    save_file(arrays, path, {**metadata, "format_version": "4"})


def test_values_are_those_of_xgboost(tmp_path):
    """Its trees in a model of ours of two classes, whose scores are f / 2 and -f / 2."""
    xgboost = pytest.importorskip("xgboost")
    rng = np.random.default_rng(3)
    X = rng.normal(size=(400, 5)).astype(np.float32)
    X[rng.random(X.shape) < 0.1] = np.nan
    known = np.nan_to_num(X)
    y = (known[:, 0] * known[:, 1] + known[:, 2] > 0).astype(int)
    data = xgboost.DMatrix(X, y)
    booster = xgboost.train({"max_depth": 4, "objective": "binary:logistic"}, data, 8)
    path = tmp_path / "two.sb"
    two = SimplexBoostClassifier(n_estimators=1, algorithm="gd-mcboost").fit(X, y)
    two.save_model(path)
    with_trees_of(path, booster.trees_to_dataframe())
    ours = simplexboost.load_model(path)
    wanted = booster.predict(data, pred_contribs=True)[:, :-1]
    found = ours.explain(X, contrast=(0, 1))
    assert np.abs(found.values - wanted).max() < 1e-4 * np.abs(wanted).max()
    pairs = booster.predict(data, pred_interactions=True)[:, :-1, :-1]
    assert np.abs(ours.shap_interaction_values(X, contrast=(0, 1)) - pairs).max() < 1e-3


def test_values_sum_to_scores(fitted, blobs):
    X, _ = blobs
    found = fitted.explain(X)
    scores = fitted.decision_function(X)
    assert found.explained == "score"
    assert np.abs(found.sums() - scores).max() < 1e-6 * np.abs(scores).max()
    assert np.allclose(found.base_values[0], fitted.expected_values())
    assert np.allclose(fitted.explained_scores(X), found.sums(), atol=1e-12)
    assert len(found) == len(X) and found.classes.tolist() == fitted.classes_.tolist()


@pytest.mark.parametrize(
    "options",
    [
        {"algorithm": "adaboost-mh", "learner": "hamming-product"},
        {"algorithm": "gd-mcboost", "learner": "linear"},
        {"algorithm": "gd-mcboost", "codewords": "maxmin", "dimension": 3},
        {"algorithm": "adaboost-mh", "learner": "stump"},
        {"algorithm": "logitboost"},
        {"algorithm": "aoso-logitboost"},
        {"algorithm": "dmcboost"},
        {"algorithm": "all-pairs"},
        {"algorithm": "samme"},
        {"algorithm": "newton", "leaf_precision": "bfloat16"},
    ],
    ids=lambda one: "-".join(map(str, one.values())),
)
def test_every_learner_is_explained(blobs, options):
    X, y = blobs
    model = SimplexBoostClassifier(n_estimators=4, random_state=1, **options).fit(X, y)
    found = model.explain(X[:50])
    scores = model.model_.predict_scores(model._table(X[:50])).astype(float)
    assert np.abs(found.sums() - scores).max() < 2e-6 * max(1, np.abs(scores).max())
    why = model.explain(X[:50], contrast=True)
    assert (why.sums() >= -1e-9).all()
    for values, classes, row in zip(why.values, why.classes, found.values):
        first, second = np.searchsorted(model.classes_, classes)
        assert np.allclose(values, row[:, first] - row[:, second], atol=1e-10)


def test_forests_and_ensembles_say_what_is_explained(blobs):
    X, y = blobs
    forest = ForestClassifier(n_estimators=5, random_state=1).fit(X, y)
    found = forest.explain(X[:60])
    assert found.explained == "shares"
    assert np.allclose(found.sums().sum(axis=1), 1, atol=1e-9)
    said = np.searchsorted(forest.classes_, forest.predict(X[:60]))
    sums = found.sums()
    assert (sums[np.arange(60), said] > sums.max(axis=1) - 1e-6).all()
    both = SimplexBoostClassifier(quality="best", n_folds=3, random_state=1, budget=60).fit(X, y)
    many = both.explain(X[:20])
    assert many.explained in ("member scores", "score")
    assert np.allclose(many.sums(), both.explained_scores(X[:20]), atol=1e-9)


def test_categories_and_missing_values_are_explained():
    rng = np.random.default_rng(5)
    frame = pd.DataFrame(
        {
            "colour": pd.Categorical(rng.choice(list("rgbk"), 400)),
            "x": np.where(rng.random(400) < 0.2, np.nan, rng.normal(size=400)),
            "noise": rng.normal(size=400),
        }
    )
    frame.loc[::9, "colour"] = None
    y = np.where(frame["colour"].isin(["r", "g"]), "warm", np.where(frame["x"] > 0, "far", "near"))
    model = SimplexBoostClassifier(n_estimators=10).fit(frame, y)
    found = model.explain(frame)
    scores = model.decision_function(frame)
    assert np.abs(found.sums() - scores).max() < 1e-6 * np.abs(scores).max()
    means = model.shap_importance(frame)
    assert means.argmin() == 2
    assert model.shap_importance(frame, pair=("far", "near")).argmax() == 1
    by_rows = model.explain(frame[:30], background=frame[::10])
    assert np.abs(by_rows.sums() - scores[:30]).max() < 1e-6 * np.abs(scores).max()


def test_blocks_top_classes_and_threads_agree(fitted, blobs):
    X, _ = blobs
    whole = fitted.explain(X)
    parts = list(fitted.explain_blocks(X, rows=70))
    assert [len(part) for part in parts] == [70] * 8 + [40]
    assert (np.concatenate([part.values for part in parts]) == whole.values).all()
    top = fitted.explain(X, top=2)
    places = np.searchsorted(fitted.classes_, top.classes)
    picked = np.take_along_axis(whole.values, places[:, None, :], axis=2)
    assert np.allclose(top.values, picked, atol=1e-12)
    alone = SimplexBoostClassifier(n_estimators=12, random_state=1, n_jobs=1)
    alone.fit(X, blobs[1])
    assert (alone.shap_values(X[:50]) == whole.values[:50]).all()
    some = fitted.explain(X[:5], classes=[3, 1])
    assert np.allclose(some.values, whole.values[:5][:, :, [3, 1]], atol=1e-12)
    assert (some.of_class(1).values == some.values[:, :, 1]).all()


def test_interactions_sum_to_values(fitted, blobs):
    X, _ = blobs
    pairs = fitted.shap_interaction_values(X[:20], classes=[0, 2])
    assert pairs.shape == (20, 12, 12, 2)
    assert np.allclose(pairs, pairs.transpose(0, 2, 1, 3), atol=1e-12)
    assert np.allclose(pairs.sum(axis=2), fitted.shap_values(X[:20], classes=[0, 2]), atol=1e-10)


def test_shaps_own_plots_take_it(fitted, blobs):
    shap = pytest.importorskip("shap")
    X, _ = blobs
    given = fitted.explain(X[:30]).to_shap()
    assert isinstance(given, shap.Explanation)
    assert given.shape == (30, 12, 5)
    assert given[:, :, 2].abs.mean(0).values.shape == (12,)
    assert np.allclose(given[3, :, 1].values.sum() + given[3, :, 1].base_values,
                       fitted.decision_function(X[:30])[3, 1], atol=1e-5)  # fmt: skip


def test_old_models_say_that_covers_are_missing(tmp_path, fitted, blobs):
    X, _ = blobs
    path = tmp_path / "m.sb"
    fitted.save_model(path)
    arrays = load_file(path)
    assert arrays.pop("leaves.cover").sum() == 600 * fitted.model_.trees
    with safe_open(path, "np") as file:
        metadata = {k: v for k, v in file.metadata().items() if "crc32" not in k}
    save_file(arrays, path, {**metadata, "format_version": "4"})
    old = simplexboost.load_model(path)
    assert (old.predict(X) == fitted.predict(X)).all()
    with pytest.raises(ValueError, match="no covers"):
        old.explain(X)
    assert old.explain(X[:5], background=X[:9]).values.shape == (5, 12, 5)


def test_what_cannot_be_explained_is_said(fitted, blobs):
    X, _ = blobs
    for options, words in [
        ({"classes": [7]}, "classes: 7 is none"),
        ({"classes": []}, "classes: it is empty"),
        ({"classes": [1], "top": 2}, "not both"),
        ({"top": 0}, "top: 0"),
        ({"contrast": (1, 9)}, "contrast: 9 is none"),
        ({"contrast": (1, 1)}, "compared with itself"),
        ({"rounds": 99}, "12 rounds"),
        ({"background": X[:0]}, "0 sample|no background|minimum"),
    ]:
        with pytest.raises(ValueError, match=words):
            fitted.explain(X, **options)
    with pytest.raises(ValueError, match="features"):
        fitted.explain(X[:, :3])


def test_effects(fitted, blobs):
    X, _ = blobs
    found = fitted.effect(X, 3, points=9, rows=None)
    assert found.values.shape == (len(found.grid), 5)
    changed = X.copy()
    changed[:, 3] = found.grid[4]
    assert np.allclose(found.values[4], fitted.predict_proba(changed).mean(axis=0), atol=1e-6)
    assert np.allclose(found.values.sum(axis=1), 1, atol=1e-5)
    each = fitted.effect(X, 3, kind="individual", classes=[2], rows=50, of="scores")
    assert each.curves.shape == (50, len(each.grid), 1)
    assert np.allclose(each.curves.mean(axis=0), each.values)
    local = fitted.effect(X, 3, kind="accumulated", of="scores", rows=None)
    middle = (local.values[1:] + local.values[:-1]) / 2
    assert np.abs(local.rows_at_grid[1:] @ middle).max() < 1e-6 * len(X)
    for options, words in [({"kind": "x"}, "kind"), ({"of": "x"}, "of"), ({"points": 1}, "points")]:
        with pytest.raises(ValueError, match=words):
            fitted.effect(X, 0, **options)
    with pytest.raises(ValueError, match="feature"):
        fitted.effect(X, "nothing")


def test_effects_of_categories_and_missing_values():
    rng = np.random.default_rng(5)
    frame = pd.DataFrame({"c": pd.Categorical(rng.choice(list("abc"), 300)), "x": rng.normal(size=300)})
    frame.loc[:20, "x"] = np.nan
    y = (frame["c"] == "b").astype(int) + (frame["x"] > 0)
    model = SimplexBoostClassifier(n_estimators=8).fit(frame, y)
    found = model.effect(frame, "c")
    assert found.grid.tolist() == ["a", "b", "c"]
    assert found.values[1, 0] < found.values[0, 0]
    assert np.isnan(model.effect(frame, "x").grid[-1])
    with pytest.raises(ValueError, match="no order"):
        model.effect(frame, "c", kind="accumulated")


def test_permutation_importance(fitted, blobs):
    X, y = blobs
    found = fitted.permutation_importance(X, y, repeats=4, seed=3)
    assert found.metric == "log-loss" and found.mean.shape == (12,)
    assert (found.low <= found.mean).all() and (found.mean <= found.high).all()
    used = fitted.importance("split") > 0
    assert (found.mean[~used] == 0).all() and found.mean.max() > 0
    again = fitted.permutation_importance(X, y, repeats=4, seed=3, features=[found.mean.argmax()])
    assert (again.repeats[0] == found.repeats[found.mean.argmax()]).all()
    with pytest.raises(ValueError, match="nearest|did you mean|metric"):
        fitted.permutation_importance(X, y, metric="nothing")


def test_explanations_outlive_pickling(fitted, blobs):
    X, _ = blobs
    other = pickle.loads(pickle.dumps(fitted))
    assert (other.shap_values(X[:9]) == fitted.shap_values(X[:9])).all()


def images(rows=240, side=6):
    """Images of which a bright spot, left or right, above or below, tells the class."""
    rng = np.random.default_rng(9)
    pixels = rng.integers(0, 60, size=(rows, side, side))
    y = rng.integers(0, 4, size=rows)
    for i in range(rows):
        top, left = 3 * (y[i] // 2), 3 * (y[i] % 2)
        pixels[i, top : top + 3, left : left + 3] += 120
    return pixels.reshape(rows, -1).astype(float), y


def test_a_filter_of_an_image_shares_its_value_among_its_pixels():
    X, y = images()
    settings = {"algorithm": "newton", "image_shape": (6, 6), "random_state": 2}
    one = SimplexBoostClassifier(n_estimators=1, max_depth=1, **settings).fit(X, y)
    values = one.shap_values(X[:5])
    seen = np.flatnonzero(np.abs(values).sum(axis=(0, 2)))
    lines, columns = np.unique(seen // 6), np.unique(seen % 6)
    assert 1 < len(seen) == len(lines) * len(columns)  # a rectangle
    assert np.allclose(values[:, seen], values[:, seen[:1]], rtol=1e-12)
    several = SimplexBoostClassifier(n_estimators=4, max_depth=3, **settings).fit(X, y)
    for background in (None, X[100:130]):
        found = several.explain(X[:20], background=background)
        sums = found.values.sum(axis=1) + found.base_values
        wanted = several.explained_scores(X[:20], background)
        assert np.abs(sums - wanted).max() < 1e-6 * np.abs(wanted).max()
    with pytest.raises(ValueError, match="filters of many pixels"):
        several.shap_interaction_values(X[:2])
