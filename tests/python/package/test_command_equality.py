"""The same data, options and seed give the same model, whoever trains it: bit for bit."""

import csv
import io

import numpy as np
import pandas as pd
import pytest

from simplexboost import SimplexBoostClassifier, SimplexBoostMultiLabelClassifier, load_model
from simplexboost._named import NAMED


def write_csv(folder, frame, header=True):
    frame.to_csv(folder / "data.csv", index=False, header=header)


@pytest.fixture
def frame(blobs):
    X, y = blobs
    frame = pd.DataFrame(X, columns=[f"x{j}" for j in range(X.shape[1])])
    frame.loc[::7, "x3"] = np.nan
    frame["class"] = y
    return frame


@pytest.mark.parametrize("algorithm", sorted(NAMED))
def test_model_bytes(simplexboost, tmp_path, frame, algorithm):
    write_csv(tmp_path, frame)
    options = ["--rounds", "6", "--seed", "5", "--row-fraction", "0.7", "--depth", "3"]
    simplexboost.succeed("train", "data.csv", "-m", "m.sb", "--algorithm", algorithm, *options)
    estimator = SimplexBoostClassifier(
        algorithm, n_estimators=6, random_state=5, subsample=0.7, max_depth=3
    )
    estimator.fit(frame.drop(columns="class"), frame["class"])
    estimator.save_model(tmp_path / "python.sb")
    assert (tmp_path / "python.sb").read_bytes() == (tmp_path / "m.sb").read_bytes()


def test_model_bytes_of_an_array_are_those_of_a_file_without_header(simplexboost, tmp_path, blobs):
    X, y = blobs
    write_csv(tmp_path, pd.DataFrame(np.column_stack([X, y])).astype({X.shape[1]: int}), False)
    simplexboost.succeed("train", "data.csv", "-m", "m.sb", "--no-header", "--rounds", "5")
    for matrix in (X, np.asfortranarray(X)):
        model = SimplexBoostClassifier(n_estimators=5).fit(matrix, y).model_
        assert model.to_bytes() == (tmp_path / "m.sb").read_bytes()


def test_model_bytes_with_categories_weights_and_validation(simplexboost, tmp_path, frame):
    frame.insert(2, "colour", np.where(frame["x1"] > 0, "red", "blue"))
    frame.loc[::5, "colour"] = None
    frame["weight"] = np.arange(len(frame)) % 3 + 0.5
    write_csv(tmp_path, frame)
    simplexboost.succeed(
        *("train", "data.csv", "-m", "m.sb", "--label", "class", "--weight", "weight"),
        *("--rounds", "30", "--valid-fraction", "0.25", "--early-stopping", "3", "--seed", "2"),
    )
    estimator = SimplexBoostClassifier(
        n_estimators=30, validation_fraction=0.25, n_iter_no_change=3, random_state=2
    )
    X = frame.drop(columns=["class", "weight"]).astype({"colour": "category"})
    estimator.fit(X, frame["class"], sample_weight=frame["weight"])
    assert estimator.model_.to_bytes() == (tmp_path / "m.sb").read_bytes()


def test_multi_label_model_bytes(simplexboost, tmp_path, label_sets):
    X, y = label_sets
    names = ["a", "b", "c", "d"]
    features = pd.DataFrame(X, columns=[f"x{j}" for j in range(X.shape[1])])
    labels = pd.DataFrame(y, columns=names)
    write_csv(tmp_path, pd.concat([features, labels], axis=1))
    simplexboost.succeed("train", "data.csv", "-m", "m.sb", "--label", "a,b,c,d", "--rounds", "9")
    estimator = SimplexBoostMultiLabelClassifier(n_estimators=9).fit(features, labels)
    assert estimator.model_.to_bytes() == (tmp_path / "m.sb").read_bytes()


def test_predictions(simplexboost, tmp_path, frame):
    write_csv(tmp_path, frame)
    X = frame.drop(columns="class")
    estimator = SimplexBoostClassifier(n_estimators=6).fit(X, frame["class"])
    estimator.save_model(tmp_path / "m.sb")

    def predict(*options):
        text = simplexboost.succeed("predict", "m.sb", "data.csv", *options)
        return np.array(list(csv.reader(io.StringIO(text)))[1:])

    assert (predict()[:, 0].astype(int) == estimator.predict(X)).all()
    scores = predict("--scores").astype(np.float32)
    assert (scores == estimator.decision_function(X)).all()
    proba = predict("--proba").astype(np.float32)
    assert (proba == estimator.predict_proba(X).astype(np.float32)).all()
    margins = predict("--margins")[:, -1].astype(np.float32)
    assert (margins == estimator.margins(X, frame["class"])).all()


def test_a_model_of_the_command_predicts_in_python(simplexboost, tmp_path, frame):
    write_csv(tmp_path, frame)
    simplexboost.succeed("train", "data.csv", "-m", "m.sb", "--rounds", "5", "--depth", "4")
    X = frame.drop(columns="class")
    loaded = load_model(tmp_path / "m.sb")
    assert (loaded.n_estimators, loaded.max_depth) == (5, 4)
    assert list(loaded.feature_names_in_) == list(X.columns)
    assert loaded.classes_.dtype.kind == "i"
    trained = SimplexBoostClassifier(n_estimators=5, max_depth=4).fit(X, frame["class"])
    assert (loaded.predict_proba(X) == trained.predict_proba(X)).all()
    assert SimplexBoostClassifier().load_model(tmp_path / "m.sb").score(X, frame["class"]) > 0.5
    again = loaded.fit(X, frame["class"])
    assert again.model_.to_bytes() == (tmp_path / "m.sb").read_bytes()
