"""Models as JSON: a program of few lines predicts from it what the model does."""

import json

import numpy as np
import pytest


def leaf_of(tree, row):
    at = 0
    while tree["nodes"]:
        node = tree["nodes"][at]
        x = row[node["feature"]]
        if np.isnan(x):
            left = node["missing"] == "left"
        elif "in" in node:
            left = int(x) in node["in"]
        else:
            left = x <= node["threshold"]
        at = node["left"] if left else node["right"]
        if at < 0:
            return tree["leaves"][-at - 1]
    return tree["leaves"][0]


def predict_scores(model, row):
    f = np.array(model["bias"], dtype=np.float32)
    for tree in model["trees"]:
        leaf = leaf_of(tree, row)
        if isinstance(leaf, dict):
            for output, value in leaf.items():
                f[tree["output"] + int(output)] += np.float32(value)
            continue
        leaf = np.array(leaf, dtype=np.float32)
        f[tree["output"] : tree["output"] + tree["width"]] += leaf
        if "minus_output" in tree:
            f[tree["minus_output"] : tree["minus_output"] + tree["width"]] -= leaf
    if "codewords" in model:
        return np.array(model["codewords"]) @ f.astype(float) / 2
    return f


@pytest.fixture
def plain_case(case):
    if case.name == "linear" or case.model.model_.members:
        pytest.skip("the reader of this test is too small for it")
    return case


def test_says_all_that_prediction_needs(plain_case):
    model = json.loads(plain_case.model.to_json())
    table = plain_case.table[:40]
    ours = plain_case.model.model_.predict_scores(plain_case.model._table(table), threads=1)
    found = np.array([predict_scores(model, row) for row in plain_case.matrix[:40]])
    np.testing.assert_allclose(found, ours, atol=2e-6, rtol=1e-6)


def test_is_read_by_people_and_by_the_command(newton_case, simplexboost, tmp_path):
    text = newton_case.model.to_json(tmp_path / "m.json")
    assert (tmp_path / "m.json").read_text() == text
    assert 'colour in {' in text
    newton_case.model.save_model(tmp_path / "m.sb")
    assert simplexboost.succeed("export", "json", "m.sb") == text
