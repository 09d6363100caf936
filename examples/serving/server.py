"""A model behind HTTP: one row in, its class and probabilities out.

    pip install fastapi uvicorn
    SIMPLEXBOOST_MODEL=m.sb uvicorn server:app --app-dir examples/serving
    curl -d '{"sepal length": 5.1, "sepal width": 3.5}' -H 'Content-Type: application/json' \
        localhost:8000/predict

FastAPI runs plain functions on a pool of threads. A model never changes, so all of them use the same
one at once, and prediction lets go of Python's lock.
"""

from __future__ import annotations

import os
from typing import Any

import pandas as pd
from fastapi import FastAPI, HTTPException

from simplexboost import load_model

app = FastAPI(title="simplexboost")
model = load_model(os.environ["SIMPLEXBOOST_MODEL"]).set_params(n_jobs=1)
names = model.model_.feature_names


@app.get("/")
def describe() -> dict[str, Any]:
    """What the model wants and what it tells."""
    return {"features": names, "classes": model.model_.classes, "rounds": model.model_.rounds}


@app.post("/predict")
def predict(row: dict[str, float | str | None]) -> dict[str, Any]:
    """Features by name; those that are left out are missing."""
    unknown = sorted(set(row) - set(names))
    if unknown:
        raise HTTPException(422, f"the model has no feature {unknown[0]!r}")
    table = pd.DataFrame([{name: row.get(name) for name in names}])
    try:
        # A model of columns without names goes by position.
        proba = model.predict_proba(table if model.model_.named else table.to_numpy())[0]
    except ValueError as error:
        raise HTTPException(422, str(error)) from error
    return {
        "class": model.model_.classes[int(proba.argmax())],
        "probabilities": dict(zip(model.model_.classes, proba.tolist())),
    }
