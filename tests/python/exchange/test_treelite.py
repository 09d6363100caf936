"""Models as Treelite checkpoints, run by GTIL and, compiled by TL2cgen, by machine code."""

import json

import numpy as np
import pytest
import treelite

from simplexboost import SimplexBoostMultiLabelClassifier

# Their probabilities are no softmax of sums, which is what Treelite can say.
NO_SOFTMAX = {
    "gd-mcboost savage",
    "gd-mcboost no posterior",
    "adaboost-mh",
    "one-vs-all",
    "ecoc",
    "forest",
}


def classes_of(values, ours):
    """The class of each row; where sums in double precision and in ours tie within rounding, ours."""
    best = np.argmax(values, axis=1)
    rows = np.arange(len(values))
    near = np.abs(values[rows, best] - values[rows, ours]) < 1e-6
    return np.where(near, ours, best)


def test_is_the_same_model(case):
    model = case.model
    ours = model.model_
    if case.has_linear_terms():
        whose = "the member 'linear.*'" if ours.members else "the model"
        with pytest.raises(ValueError, match=f"{whose} has linear terms.*--linear-aside"):
            model.to_treelite(raw=True)
        return
    labels = np.searchsorted(model.classes_, model.predict(case.table))
    scores = ours.predict_scores(model._table(case.table), threads=1)
    if not ours.members:
        raw = treelite.Model.deserialize_bytes(model.to_treelite(raw=True))
        found = treelite.gtil.predict(raw, case.matrix)[:, 0, :]
        # Ours are sums in single precision: 1e-6 of the largest score of a row.
        size = np.maximum(np.abs(scores).max(axis=1, keepdims=True), 1)
        assert (np.abs(found - scores) <= 1e-6 * size).all()
        np.testing.assert_array_equal(classes_of(found, labels), labels)
    if case.name in NO_SOFTMAX:
        with pytest.raises(ValueError, match="no softmax; export the scores"):
            model.to_treelite()
    elif not ours.members:
        whole = treelite.Model.deserialize_bytes(model.to_treelite())
        found = treelite.gtil.predict(whole, case.matrix)[:, 0, :]
        np.testing.assert_allclose(found, model.predict_proba(case.table), atol=1e-6)


def linked(member, scores):
    """The probabilities of a member, from its scores."""
    x = member["scale"] * scores
    if member["link"] == "shares":
        x = np.maximum(x, 0) + member["shift"]
        return x / x.sum(axis=1, keepdims=True)
    if member["link"] == "logistic":
        x = -np.logaddexp(0, member["shift"] - x)
    x = np.exp(x - x.max(axis=1, keepdims=True))
    return x / x.sum(axis=1, keepdims=True)


def add_linear_terms(told, matrix, scores):
    """What the attributes say of linear terms, added to the scores: rows x targets x classes."""
    for term in told.get("linear", []):
        x = np.clip(matrix[:, term["feature"]], term["low"], term["high"])
        x = np.where(np.isnan(x), 0, (x - term["center"]) / (term["high"] - term["low"]))
        scores[:, term["target"]] += x[:, None] * np.array(term["slopes"])


def run_aside(model, matrix, path):
    """The attributes of a model with its linear terms aside, and the whole scores."""
    model.to_treelite(path, linear_aside=True)
    model = treelite.Model.deserialize(path)
    told = json.loads(json.loads(model.dump_as_json())["attributes"])
    scores = treelite.gtil.predict(model, matrix)
    add_linear_terms(told, matrix, scores)
    return told, scores


def test_attributes_tell_of_linear_terms_and_members(case, tmp_path):
    told, found = run_aside(case.model, case.matrix, tmp_path / "m.tl")
    assert ("linear" in told) == case.has_linear_terms()
    if case.model.model_.members:
        check_members(case, told, found)
        return
    scores = case.model.model_.predict_scores(case.model._table(case.table), threads=1)
    size = np.maximum(np.abs(scores).max(axis=1, keepdims=True), 1)
    assert (np.abs(found[:, 0] - scores) <= 1e-6 * size).all()


def check_members(case, told, scores):
    """Members are targets, and pooled as the attributes say they are the ensemble."""
    assert len(told["members"]) == len(case.model.model_.members)
    weights = [member["weight"] for member in told["members"]]
    each = [linked(member, scores[:, m]) for m, member in enumerate(told["members"])]
    if told["pool"] == "mean":
        pooled = sum(weight * p for weight, p in zip(weights, each, strict=True))
    else:
        assert told["pool"] == "product"
        logs = [
            weight * np.log(np.maximum(p, 1e-12)) for weight, p in zip(weights, each, strict=True)
        ]
        pooled = np.exp(sum(logs))
    expected = np.clip(pooled, 1e-12, 1) ** told["scale"]
    expected /= expected.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(case.model.predict_proba(case.table), expected, atol=1e-6)
    labels = np.searchsorted(case.model.classes_, case.model.predict(case.table))
    np.testing.assert_array_equal(classes_of(pooled, labels), labels)


def test_a_temperature_and_other_shares_are_held(adjusted_case):
    model = adjusted_case.model
    with pytest.raises(ValueError, match="calibrate --undo"):
        model.to_treelite(raw=True)
    if adjusted_case.name not in ("temperature", "priors"):
        with pytest.raises(ValueError, match="a temperature and other shares of one softmax alone"):
            model.to_treelite()
        return
    whole = treelite.Model.deserialize_bytes(model.to_treelite())
    found = treelite.gtil.predict(whole, adjusted_case.matrix)[:, 0, :]
    np.testing.assert_allclose(found, model.predict_proba(adjusted_case.table), atol=1e-6)


def test_tl2cgen_compiles_it(newton_case, tmp_path):
    tl2cgen = pytest.importorskip("tl2cgen")
    model = treelite.Model.deserialize_bytes(newton_case.model.to_treelite())
    library = tmp_path / "m.so"
    tl2cgen.export_lib(model, toolchain="gcc", libpath=library, params={}, nthread=1)
    rows = slice(700)  # without numbers so near to a cut that its C code, which rounds cuts, errs
    data = tl2cgen.DMatrix(newton_case.matrix[rows])
    found = tl2cgen.Predictor(library, nthread=1).predict(data)
    expected = newton_case.model.predict_proba(newton_case.table[rows])
    np.testing.assert_allclose(found.reshape(expected.shape), expected, atol=1e-6)


def test_command_writes_the_same(newton_case, simplexboost, tmp_path):
    newton_case.model.save_model(tmp_path / "m.sb")
    simplexboost.succeed("export", "treelite", "m.sb", "-o", "m.tl")
    assert (tmp_path / "m.tl").read_bytes() == newton_case.model.to_treelite()
    assert "--raw" in simplexboost.fail("export", "json", "m.sb", "--raw", status=2)


def test_sets_of_labels_are_refused():
    x = np.random.default_rng(0).normal(size=(100, 3))
    model = SimplexBoostMultiLabelClassifier(n_estimators=2).fit(x, (x > 0).astype(int))
    with pytest.raises(ValueError, match="several labels a row"):
        model.to_treelite()
