"""Models of XGBoost and LightGBM, imported: their predictions, and refusals that say why."""

import json

import lightgbm
import numpy as np
import pandas as pd
import pytest
import xgboost

from simplexboost import from_lightgbm, from_xgboost, load_model


def make_rows(classes, rows=600, seed=0, categories=False):
    """Numbers, some missing, as pandas; and classes that depend on them."""
    generator = np.random.default_rng(seed)
    x = generator.normal(size=(rows, 4))
    y = (np.floor(3 * x[:, 0]) + np.floor(2 * x[:, 1]) + generator.integers(2, size=rows)) % classes
    y[:classes] = np.arange(classes)
    table = pd.DataFrame(x, columns=list("abcd"))
    table[table > 1.9] = np.nan
    if categories:
        codes = generator.integers(-1, 40, size=rows)
        y[classes:] = (y + codes % 5)[classes:] % classes
        names = [f"colour {c}" for c in range(40)]
        table["colour"] = pd.Categorical.from_codes(codes, names)
        table["size"] = pd.Categorical.from_codes(generator.integers(0, 3, rows), [3, 5, 8])
    return table, y.astype(int)


def xgboost_model(table, y, classes, rounds=8, **settings):
    data = xgboost.DMatrix(table, y, enable_categorical=True)
    settings = {"num_class": classes, "max_depth": 4, "nthread": 1, "eta": 0.5, **settings}
    settings.setdefault("objective", "multi:softprob")
    if settings["objective"].startswith("binary"):
        del settings["num_class"]
    return xgboost.train(settings, data, rounds), data


def check_xgboost(booster, data, table):
    imported = from_xgboost(booster)
    expected = booster.predict(data)
    if expected.ndim == 1:
        expected = np.stack([1 - expected, expected], axis=1)
    np.testing.assert_allclose(imported.predict_proba(table), expected, atol=1e-6)
    np.testing.assert_array_equal(imported.predict(table), np.argmax(expected, axis=1))
    return imported


@pytest.mark.parametrize("categories", [False, True], ids=["numbers", "categories"])
@pytest.mark.parametrize("classes", [3, 26, 100])
def test_xgboost(classes, categories, tmp_path):
    table, y = make_rows(classes, categories=categories)
    booster, data = xgboost_model(table, y, classes, rounds=4 if classes > 26 else 8)
    imported = check_xgboost(booster, data, table)
    assert imported.model_.rounds == booster.num_boosted_rounds()
    for name in ["m.json", "m.ubj"]:
        booster.save_model(tmp_path / name)
        again = from_xgboost(tmp_path / name)
        assert again.model_.to_bytes() == imported.model_.to_bytes()


@pytest.mark.parametrize(
    "settings",
    [
        {"booster": "dart", "rate_drop": 0.5},
        {"num_parallel_tree": 3, "subsample": 0.5},
        {"multi_strategy": "multi_output_tree", "tree_method": "hist"},
        {"base_score": 0.3},
        {"objective": "binary:logistic"},
        {"objective": "multi:softmax"},
    ],
    ids=lambda settings: next(iter(settings.values())),
)
def test_kinds_of_xgboost(settings):
    objective = settings.get("objective", "")
    classes = 2 if objective.startswith("binary") else 4
    table, y = make_rows(classes)
    booster, data = xgboost_model(table, y, classes, **settings)
    if objective == "multi:softmax":
        imported = from_xgboost(booster)
        np.testing.assert_array_equal(imported.predict(table), booster.predict(data).astype(int))
        return
    check_xgboost(booster, data, table)


def test_xgboost_cuts_floats_and_so_do_we():
    """Values next to a cut, as doubles that round up or down to floats."""
    table, y = make_rows(3)
    booster, _ = xgboost_model(table, y, 3)
    told = json.loads(booster.save_raw("json"))
    trees = told["learner"]["gradient_booster"]["model"]["trees"]
    rows = []
    for tree in trees:
        for left, f, cut in zip(
            tree["left_children"], tree["split_indices"], tree["split_conditions"], strict=True
        ):
            if left < 0:
                continue
            cut = np.float32(cut)
            below = np.nextafter(cut, np.float32(-np.inf))
            middle = (float(cut) + float(below)) / 2
            for value in [float(cut), float(below), middle, np.nextafter(middle, np.inf)]:
                row = [0.1, -0.2, 0.3, np.nan]
                row[f] = value
                rows.append(row)
    near = pd.DataFrame(rows, columns=list("abcd"))
    expected = booster.predict(xgboost.DMatrix(near))
    np.testing.assert_allclose(from_xgboost(booster).predict_proba(near), expected, atol=1e-6)


def lightgbm_model(table, y, classes, rounds=8, **settings):
    settings = {
        "objective": "multiclass",
        "num_class": classes,
        "min_data_in_leaf": 5,
        "learning_rate": 0.2,
        "lambda_l2": 1.0,
        "verbose": -1,
        "num_threads": 1,
        **settings,
    }
    if settings["objective"] == "binary":
        del settings["num_class"]
    return lightgbm.train(settings, lightgbm.Dataset(table, y), rounds)


def check_lightgbm(booster, table):
    imported = from_lightgbm(booster)
    expected = booster.predict(table)
    if expected.ndim == 1:
        expected = np.stack([1 - expected, expected], axis=1)
    np.testing.assert_allclose(imported.predict_proba(table), expected, atol=1e-6)
    np.testing.assert_array_equal(imported.predict(table), np.argmax(expected, axis=1))
    return imported


@pytest.mark.parametrize("categories", [False, True], ids=["numbers", "categories"])
@pytest.mark.parametrize("classes", [3, 26, 100])
def test_lightgbm(classes, categories, tmp_path):
    table, y = make_rows(classes, categories=categories)
    booster = lightgbm_model(table, y, classes, rounds=4 if classes > 26 else 8)
    imported = check_lightgbm(booster, table)
    booster.save_model(tmp_path / "m.txt")
    again = from_lightgbm(tmp_path / "m.txt")
    assert again.model_.to_bytes() == imported.model_.to_bytes()


@pytest.mark.parametrize(
    "settings",
    [
        {"boosting": "dart"},
        {"boosting": "rf", "bagging_fraction": 0.5, "bagging_freq": 1},
        {"use_missing": False},
        {"objective": "binary", "sigmoid": 0.7},
    ],
    ids=lambda settings: str(next(iter(settings.values()))),
)
def test_kinds_of_lightgbm(settings):
    classes = 2 if settings.get("objective") == "binary" else 4
    table, y = make_rows(classes)
    check_lightgbm(lightgbm_model(table, y, classes, **settings), table)


def test_estimators_of_scikit_learn_keep_their_classes():
    table, y = make_rows(3)
    names = np.array(["left", "middle", "right"])[y]
    model = lightgbm.LGBMClassifier(n_estimators=3, verbose=-1, n_jobs=1).fit(table, names)
    np.testing.assert_array_equal(from_lightgbm(model).predict(table), model.predict(table))
    model = xgboost.XGBClassifier(n_estimators=3, n_jobs=1).fit(table, y)
    np.testing.assert_array_equal(from_xgboost(model).predict(table), model.predict(table))
    numbers = table.to_numpy()
    model = lightgbm.LGBMClassifier(n_estimators=3, verbose=-1, n_jobs=1).fit(numbers, names)
    np.testing.assert_array_equal(from_lightgbm(model).predict(numbers), model.predict(numbers))


def test_an_imported_model_is_a_model(simplexboost, tmp_path):
    table, y = make_rows(3)
    booster, data = xgboost_model(table, y, 3)
    booster.save_model(tmp_path / "b.json")
    told = simplexboost.succeed("import", "b.json", "--model", "m.sb")
    assert "8 rounds, 24 trees, 4 features, 3 classes from xgboost" in told
    assert simplexboost.succeed("import", "b.json", "--model", "m.sb", "--quiet") == ""
    model = load_model(tmp_path / "m.sb")
    np.testing.assert_allclose(model.predict_proba(table), booster.predict(data), atol=1e-6)
    assert "xgboost" in simplexboost.succeed("inspect", "m.sb")
    assert model.feature_importances_.sum() == pytest.approx(1)
    assert len(model.to_onnx()) > 1000


def refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_what_ours_cannot_be_is_refused_by_name():
    table, y = make_rows(3)
    numbers = table.fillna(0)
    data = xgboost.DMatrix(numbers, y)
    train = lambda **settings: xgboost.train({"nthread": 1, **settings}, data, 2)  # noqa: E731
    linear = train(booster="gblinear", objective="multi:softprob", num_class=3)
    refused(lambda: from_xgboost(linear), "booster 'gblinear'")
    refused(lambda: from_xgboost(train(objective="reg:squarederror")), "reg:squarederror")
    refused(lambda: from_xgboost(train(objective="rank:pairwise")), "rank:pairwise")
    for objective in ["regression", "lambdarank", "multiclassova"]:
        settings = {"objective": objective, "verbose": -1, "num_class": 3}
        if objective != "multiclassova":
            del settings["num_class"]
        group = [300, 300] if objective == "lambdarank" else None
        booster = lightgbm.train(settings, lightgbm.Dataset(numbers, y, group=group), 2)
        refused(lambda b=booster: from_lightgbm(b), objective)
    tree = lightgbm_model(numbers, y, 3, linear_tree=True)
    refused(lambda: from_lightgbm(tree), "linear leaves")


def test_damaged_files_are_refused_with_the_place(tmp_path):
    table, y = make_rows(3, categories=True)
    booster, _ = xgboost_model(table, y, 3, rounds=2)
    text = lightgbm_model(table, y, 3, rounds=2).model_to_string()
    path = tmp_path / "m"
    for content, message in [
        (b"", "neither a model of XGBoost"),
        (b"hello", "neither a model of XGBoost"),
        (b"{}", "no 'learner'"),
        (b'{"learner": 3}', "object"),
        (b'{"learner"', "no valid JSON at byte"),
        (bytes(booster.save_raw("ubj"))[:-3], "no valid UBJSON at byte"),
        (text.replace("leaf_value=", "leaf_value=x ", 1).encode(), r"line \d+: 'x' in leaf_value"),
        (text.split("end of trees")[0].encode(), "ends before 'end of trees'"),
        (text.replace("num_class=3", "num_class=99999999999", 1).encode(), "line"),
    ]:
        path.write_bytes(content)
        refused(lambda: from_xgboost(path), message)


def test_a_small_file_cannot_ask_for_much_memory():
    """Features without names, and sets of categories with large codes."""
    table, y = make_rows(3, categories=True)
    booster, _ = xgboost_model(table, y, 3, rounds=2)
    whole = json.loads(booster.save_raw("json"))
    many = json.loads(json.dumps(whole))
    many["learner"]["learner_model_param"]["num_feature"] = str(2**24)
    refused(lambda: from_xgboost(json.dumps(many).encode()), "num_feature is 16777216")
    large = json.loads(json.dumps(whole))
    trees = large["learner"]["gradient_booster"]["model"]["trees"]
    nodes = 301
    inner = nodes // 2
    tree = trees[0]
    chain = [2 * i + 1 if i < inner else -1 for i in range(nodes)]
    tree.update({
        "left_children": chain, "right_children": [c + (c >= 0) for c in chain],
        "split_indices": [4] * nodes, "split_type": [1] * nodes, "split_conditions": [0.0] * nodes,
        "default_left": [0] * nodes, "loss_changes": [0.0] * nodes, "base_weights": [0.0] * nodes,
        "categories": [32 * 65535 - 1], "categories_nodes": list(range(inner)),
        "categories_segments": [0] * inner, "categories_sizes": [1] * inner})
    large["learner"]["gradient_booster"]["model"]["trees"] = [tree]
    from_xgboost(json.dumps(large).encode())
    large["learner"]["gradient_booster"]["model"]["trees"] = [tree] * 9
    large["learner"]["gradient_booster"]["model"]["tree_info"] = [0, 1, 2] * 3
    refused(lambda: from_xgboost(json.dumps(large).encode()), "more than 128 MB")


@pytest.mark.parametrize("kind", ["json", "ubj", "lightgbm"])
def test_hostile_bytes_do_no_harm(kind):
    """Bytes changed, cut out and doubled: a model or an error, nothing else."""
    table, y = make_rows(3, rows=200, categories=True)
    if kind == "lightgbm":
        content = lightgbm_model(table, y, 3, rounds=1).model_to_string().encode()
        content = content[: content.index(b"\nfeature_importances")]
    else:
        content = bytes(xgboost_model(table, y, 3, rounds=1)[0].save_raw(kind))
    generator = np.random.default_rng(1)
    for _ in range(150):
        data = bytearray(content)
        at = generator.integers(len(data))
        kind_of_harm = generator.integers(4)
        if kind_of_harm == 0:
            data[at] = generator.integers(256)
        elif kind_of_harm == 1:
            del data[at : at + generator.integers(1, 50)]
        elif kind_of_harm == 2:
            data[at:at] = data[at : at + generator.integers(1, 50)]
        else:
            data[at] = ord(generator.choice(["9", "-", "0", "e"]))
        try:
            model = from_lightgbm(bytes(data)) if kind == "lightgbm" else from_xgboost(bytes(data))
            model.model_.to_bytes()
        except (ValueError, MemoryError):
            pass
