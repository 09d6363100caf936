"""Models as JSON: a program of few lines predicts from it what the model does."""

import json

import numpy as np

from simplexboost import SimplexBoostClassifier


def filter_value(image, cut, row):
    """Of docs/model-format.md: sums of rectangles of rounded pixels, with their signs."""
    limit = 2**27 // (image["width"] * image["height"])
    pixels = np.clip(np.round(np.nan_to_num(row) * image["scale"]), -limit, limit)
    pixels = pixels.reshape(image["height"], image["width"], image["channels"])[:, :, cut["channel"]]
    signs = [[[-1, 1]], [[-1], [1]], [[1, -2, 1]], [[1], [-2], [1]], [[1, -1], [-1, 1]]]
    width, height, sum_ = cut["width"], cut["height"], 0
    for down, line in enumerate(signs[cut["kind"]]):
        for across, sign in enumerate(line):
            y, x = cut["y"] + down * height, cut["x"] + across * width
            sum_ += sign * pixels[y : y + height, x : x + width].sum()
    return sum_


def leaf_of(tree, row, image=None):
    at = 0
    while tree["nodes"]:
        node = tree["nodes"][at]
        x = row[node["feature"]]
        if "filter" in node:
            left = filter_value(image, node["filter"], row) <= node["threshold"]
        elif np.isnan(x):
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
        leaf = leaf_of(tree, row, model.get("image"))
        if isinstance(leaf, dict):
            for output, value in leaf.items():
                f[tree["output"] + int(output)] += np.float32(value)
            continue
        leaf = np.array(leaf, dtype=np.float32)
        for term in tree.get("linear", []):
            x = np.clip(row[term["feature"]], term["low"], term["high"])
            x = 0 if np.isnan(x) else (x - term["center"]) / (term["high"] - term["low"])
            leaf = leaf + np.float32(x) * np.array(term["slopes"], dtype=np.float32)
        f[tree["output"] : tree["output"] + tree["width"]] += leaf
        if "minus_output" in tree:
            f[tree["minus_output"] : tree["minus_output"] + tree["width"]] -= leaf
    if "codewords" in model:
        return np.array(model["codewords"]) @ f.astype(float) / 2
    return pooled(model, f.astype(float)) if "members" in model else f


def member_proba(member, u):
    x = member["scale"] * u
    if member["kind"] == "shares":
        x = np.maximum(x, 0) + member["shift"]
        return x / x.sum()
    if member["kind"] == "logistic":
        x = -np.logaddexp(0, member["shift"] - x)
    return np.exp(x - x.max()) / np.exp(x - x.max()).sum()


def pooled(model, f):
    """The logarithm of the mean of the members' probabilities, or the mean of their logarithms."""
    each = np.split(f, len(model["members"]))
    each = [member_proba(*pair) for pair in zip(model["members"], each, strict=True)]
    weights = [member["weight"] for member in model["members"]]
    log = lambda p: np.log(np.clip(p, 1e-12, 1))  # noqa: E731
    if model["pool"] == "mean":
        return log(np.dot(weights, each))
    return np.dot(weights, log(each))


def test_says_all_that_prediction_needs(case):
    model = json.loads(case.model.to_json())
    table = case.table[:40]
    ours = case.model.model_.predict_scores(case.model._table(table), threads=1)
    found = np.array([predict_scores(model, row) for row in case.matrix[:40]])
    np.testing.assert_allclose(found, ours, atol=2e-6, rtol=2e-6)


def test_says_what_filters_see():
    generator = np.random.default_rng(0)
    x = generator.integers(0, 255, size=(300, 64)) / 7
    x[generator.random(x.shape) < 0.01] = np.nan
    y = (np.nanmean(x[:, :32], axis=1) > np.nanmean(x[:, 32:], axis=1)).astype(int)
    model = SimplexBoostClassifier(
        algorithm="adaboost-mh", n_estimators=20, image_shape=(8, 8), filters=60
    ).fit(x, y)
    told = json.loads(model.to_json())
    assert told["image"]["width"] == 8 and told["image"]["scale"] > 0
    assert any("filter" in node for tree in told["trees"] for node in tree["nodes"])
    found = np.array([predict_scores(told, row) for row in x])
    np.testing.assert_allclose(found, model.model_.predict_scores(model._table(x)), atol=2e-6)


def test_says_how_probabilities_were_adjusted(adjusted_case):
    told = json.loads(adjusted_case.model.to_json())
    row = adjusted_case.matrix[:1]
    z = told["link"]["scale"] * predict_scores(told, row[0]).astype(float)
    p = np.exp(z - z.max()) / np.exp(z - z.max()).sum()
    if "calibration" in told:
        curve = told["calibration"]
        if curve["method"] == "isotonic":
            parts = np.split(np.arange(len(curve["knot_p"])), curve["knot_end"][:-1])
            p = [np.interp(x, np.take(curve["knot_p"], part), np.take(curve["knot_q"], part))
                 for x, part in zip(p, parts, strict=True)]  # fmt: skip
        else:
            p = np.exp(np.array(curve["scale"]) * np.log(p) + (curve["shift"] or 0))
    if "priors" in told:
        p = np.asarray(p) / np.sum(p) * np.array(told["priors"]) / told["class_shares"]
    expected = adjusted_case.model.predict_proba(adjusted_case.table[:1])[0]
    np.testing.assert_allclose(np.asarray(p) / np.sum(p), expected, atol=1e-6)


def test_is_read_by_people_and_by_the_command(newton_case, simplexboost, tmp_path):
    text = newton_case.model.to_json(tmp_path / "m.json")
    assert (tmp_path / "m.json").read_text() == text
    assert 'colour in {' in text
    newton_case.model.save_model(tmp_path / "m.sb")
    assert simplexboost.succeed("export", "json", "m.sb") == text
