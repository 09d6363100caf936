"""examples/serving: the server answers, also to many threads at once and to nonsense."""

import concurrent.futures
import importlib
import pathlib
import subprocess
import sys

import numpy as np
import pytest
from sklearn.datasets import load_iris

from simplexboost import SimplexBoostClassifier

FOLDER = pathlib.Path(__file__).resolve().parents[3] / "examples" / "serving"


@pytest.fixture
def served(tmp_path, monkeypatch):
    from fastapi.testclient import TestClient

    data = load_iris(as_frame=True)
    names = data.target_names[data.target]
    model = SimplexBoostClassifier(n_estimators=10).fit(data.data, names)
    model.save_model(tmp_path / "m.sb")
    monkeypatch.setenv("SIMPLEXBOOST_MODEL", str(tmp_path / "m.sb"))
    monkeypatch.syspath_prepend(str(FOLDER))
    sys.modules.pop("server", None)
    server = importlib.import_module("server")
    yield TestClient(server.app), model, data.data, tmp_path / "m.sb"
    sys.modules.pop("server", None)


def test_answers_many_threads_with_what_the_model_says(served):
    client, model, table, _ = served
    expected = model.predict_proba(table)

    def ask(i):
        answer = client.post("/predict", json=table.iloc[i].to_dict())
        assert answer.status_code == 200, answer.text
        return list(answer.json()["probabilities"].values())

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        found = list(pool.map(ask, range(0, len(table), 3)))
    np.testing.assert_allclose(found, expected[::3], rtol=1e-12)


def test_missing_and_unknown_features(served):
    client, model, table, _ = served
    row = {table.columns[0]: 5.0}
    told = client.post("/predict", json=row).json()
    assert told["class"] in model.classes_ and sum(told["probabilities"].values()) == pytest.approx(1)
    assert client.post("/predict", json={"height": 1}).status_code == 422
    assert client.get("/").json()["classes"] == list(model.classes_)


def test_measures(served):
    *_, path = served
    told = subprocess.run(
        [sys.executable, FOLDER / "measure.py", path, "--threads", "2", "--rows", "5"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    assert told.count("p99") == 2
