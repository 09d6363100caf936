"""Models as ONNX, run by onnxruntime: the same classes and scores, probabilities to 1e-6."""

import json

import numpy as np
import onnx
import onnxruntime
import pytest

from simplexboost import SimplexBoostClassifier, SimplexBoostMultiLabelClassifier


def run(content, matrix):
    onnx.checker.check_model(onnx.load_from_string(content), full_check=True)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
    names = [one.name for one in session.get_outputs()]
    return dict(zip(names, session.run(None, {"features": matrix}), strict=True))


def check(case, classic):
    ours = case.model.model_
    found = run(case.model.to_onnx(classic=classic), case.matrix)
    scores = ours.predict_scores(case.model._table(case.table), threads=1)
    # Pooled scores are logs of sums of exponentials, which libraries round differently.
    if ours.members:
        np.testing.assert_allclose(found["scores"], scores, atol=1e-6, rtol=1e-6)
    else:
        np.testing.assert_array_equal(found["scores"], scores)
    np.testing.assert_array_equal(found["label"], case.model.predict(case.table))
    if ours.has_proba:
        proba = case.model.predict_proba(case.table)
        np.testing.assert_allclose(found["probabilities"], proba, atol=1e-6)
    else:
        assert "probabilities" not in found


@pytest.mark.parametrize("classic", [False, True])
def test_is_the_same_model(case, classic):
    check(case, classic)


@pytest.mark.parametrize("classic", [False, True])
def test_is_the_same_with_random_numbers(random_case, classic):
    check(random_case, classic)


@pytest.mark.parametrize("classic", [False, True])
def test_floats_go_where_the_model_sends_them(newton_case, classic):
    single = newton_case.matrix.astype(np.float32)
    model = newton_case.model
    found = run(model.to_onnx(classic=classic, single=True), single)
    exact = run(model.to_onnx(), single.astype(np.float64))
    np.testing.assert_array_equal(found["scores"], exact["scores"])


def test_one_row_and_no_row(newton_case):
    content = newton_case.model.to_onnx()
    one = run(content, newton_case.matrix[:1])
    assert one["label"].shape == (1,)
    assert run(content, newton_case.matrix[:0])["scores"].shape == (0, 5)


def test_codes_that_are_none_count_as_missing(newton_case):
    matrix = newton_case.matrix.copy()
    negative = np.where(np.isnan(matrix[:, 4]), -1.0, matrix[:, 4])
    content = newton_case.model.to_onnx()
    expected = run(content, matrix)["scores"]
    matrix[:, 4] = negative
    np.testing.assert_array_equal(run(content, matrix)["scores"], expected)


def test_sets_of_labels():
    generator = np.random.default_rng(0)
    x = generator.normal(size=(300, 4))
    y = np.stack([x[:, j] > 0.2 * j for j in range(3)], axis=1).astype(int)
    for algorithm in ["adaboost-mh", "one-vs-all", "forest"]:
        model = SimplexBoostMultiLabelClassifier(algorithm=algorithm, n_estimators=8).fit(x, y)
        found = run(model.to_onnx(), x)
        np.testing.assert_array_equal(found["label"], model.predict(x))
        np.testing.assert_allclose(found["probabilities"], model.predict_proba(x), atol=1e-6)


def test_names_of_classes_and_features_are_kept(iris_names, tmp_path):
    model, x = iris_names
    path = tmp_path / "iris.onnx"
    content = model.to_onnx(path)
    assert path.read_bytes() == content
    assert set(run(content, x)["label"]) == {"setosa", "versicolor", "virginica"}
    properties = {one.key: one.value for one in onnx.load(path).metadata_props}
    assert json.loads(properties["classes"]) == ["setosa", "versicolor", "virginica"]
    assert [one["name"] for one in json.loads(properties["features"])] == model.model_.feature_names


@pytest.fixture(scope="module")
def iris_names():
    from sklearn.datasets import load_iris

    data = load_iris()
    model = SimplexBoostClassifier(n_estimators=5).fit(data.data, data.target_names[data.target])
    return model, data.data


def test_command_writes_the_same_bytes(newton_case, simplexboost, tmp_path):
    newton_case.model.save_model(tmp_path / "m.sb")
    simplexboost.succeed("export", "onnx", "m.sb", "-o", "m.onnx", "--classic")
    assert (tmp_path / "m.onnx").read_bytes() == newton_case.model.to_onnx(classic=True)
    assert "onnx" in simplexboost.fail("export", "onx", "m.sb", status=2)
    assert "ONNX" in simplexboost.fail("export", "json", "m.sb", "--single", status=2)


def test_image_filters_are_refused_by_name():
    generator = np.random.default_rng(0)
    x = generator.integers(0, 255, size=(200, 64)).astype(float)
    y = (x[:, :32].mean(axis=1) > x[:, 32:].mean(axis=1)).astype(int)
    model = SimplexBoostClassifier(
        algorithm="adaboost-mh", n_estimators=9, image_shape=(8, 8), filters=60
    ).fit(x, y)
    with pytest.raises(ValueError, match="image filters, which ONNX cannot hold"):
        model.to_onnx()


def test_calibrated_models_and_other_shares(adjusted_case):
    found = run(adjusted_case.model.to_onnx(), adjusted_case.matrix)
    expected = adjusted_case.model.predict_proba(adjusted_case.table)
    np.testing.assert_allclose(found["probabilities"], expected, atol=1e-6)
    np.testing.assert_array_equal(found["label"], adjusted_case.model.predict(adjusted_case.table))
