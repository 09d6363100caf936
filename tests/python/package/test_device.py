"""Arrays in the memory of a device: trained on and predicted where they are.

The device is emulated, whose memory is this process's, so that every build tests all but for the GPU
itself. On a machine with one, SIMPLEXBOOST_TEST_DEVICE=cuda runs the same with cupy and torch:
python tests/python/package/test_device.py needs no pytest.
"""

from __future__ import annotations

import os
import pickle
import traceback

import numpy as np

from simplexboost import SimplexBoostClassifier

DEVICE = os.environ.get("SIMPLEXBOOST_TEST_DEVICE", "emulated")


class OfEmulated:
    """What an array of an emulated device says of itself; the only way to it."""

    def __init__(self, array: np.ndarray) -> None:
        self._array = array
        self.shape = array.shape
        self.__cuda_array_interface__ = {
            **array.__array_interface__,
            "version": 3,
            "strides": array.strides,
        }


class OfInterface:
    """An array of a GPU that has no DLPack."""

    def __init__(self, array: object) -> None:
        self._array = array
        self.shape = array.shape
        self.__cuda_array_interface__ = array.__cuda_array_interface__


def kinds() -> list:
    """Functions that bring an array of numpy to the device, one a library."""
    if DEVICE == "emulated":
        return [OfEmulated]
    import cupy
    import torch

    return [
        cupy.asarray,
        lambda a: torch.from_numpy(np.ascontiguousarray(a)).cuda(),
        lambda a: OfInterface(cupy.asarray(a)),
    ]


def to_numpy(value: object) -> np.ndarray:
    if isinstance(value, np.ndarray):
        return value
    if not hasattr(value, "get") and not hasattr(value, "cpu"):  # of no library: DLPack alone
        import cupy

        value = cupy.from_dlpack(value)
    return value.get() if hasattr(value, "get") else value.cpu().numpy()


def rows(count: int = 900, dtype: type = np.float32, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    X = random.normal(size=(count, 6)).astype(dtype)
    if np.issubdtype(dtype, np.floating):
        X[random.random(X.shape) < 0.05] = np.nan
    X[:, 3] = np.round(X[:, 3])
    y = np.digitize(np.nan_to_num(X[:, 0]) + np.nan_to_num(X[:, 1]), [-0.7, 0.7])
    return X, y


def trained(X: object, y: object, device: str, **settings: object) -> SimplexBoostClassifier:
    return SimplexBoostClassifier(n_estimators=6, max_depth=4, device=device, **settings).fit(X, y)


def test_the_model_is_that_of_the_host() -> None:
    for dtype in (np.float32, np.float64, np.int16):
        X, y = rows(dtype=dtype)
        wanted = trained(X, y, "cpu").model_.to_bytes()
        for bring in kinds():
            assert trained(bring(X), y, DEVICE).model_.to_bytes() == wanted
            assert trained(bring(np.asfortranarray(X)), y, DEVICE).model_.to_bytes() == wanted


def test_many_rows_are_sampled_alike() -> None:
    random = np.random.default_rng(3)
    X = random.normal(size=(450_000, 2)).astype(np.float32)
    X[random.random(X.shape) < 0.1] = np.nan
    y = (np.nan_to_num(X[:, 0]) > 0).astype(int)
    weights = random.integers(0, 3, len(y)).astype(float)
    for given in (None, weights):
        models = [
            SimplexBoostClassifier(n_estimators=1, max_depth=3, device="cpu")
            .fit(data, y, sample_weight=given)
            .model_.to_bytes()
            for data in [X, *(bring(X) for bring in kinds() if DEVICE != "emulated")]
        ]
        assert len(set(models)) == 1


def test_columns_of_many_rows_stay_there() -> None:
    random = np.random.default_rng(5)
    X = random.normal(size=(20_000, 3)).astype(np.float32)
    X[:, 1] = np.round(40 * X[:, 1])  # more values than one look finds, fewer than bins
    X[random.random(X.shape) < 0.02] = np.nan
    y = (np.nan_to_num(X[:, 0]) > np.nan_to_num(X[:, 1]) / 40).astype(int)
    wanted = SimplexBoostClassifier(n_estimators=2, max_depth=3).fit(X, y).model_.to_bytes()
    for bring in kinds():
        there = SimplexBoostClassifier(n_estimators=2, max_depth=3, device=DEVICE)
        assert there.fit(bring(X), y).model_.to_bytes() == wanted


def test_labels_and_weights_come_from_there() -> None:
    X, y = rows()
    weights = np.random.default_rng(1).random(len(y))
    plain = SimplexBoostClassifier(n_estimators=4).fit(X, y, sample_weight=weights)
    if DEVICE == "emulated":
        return
    for bring in kinds():
        there = SimplexBoostClassifier(n_estimators=4, device=DEVICE)
        there.fit(bring(X), bring(y), sample_weight=bring(weights))
        assert there.model_.to_bytes() == plain.model_.to_bytes()


def test_predictions_are_those_of_the_host() -> None:
    X, y = rows()
    for settings in ({}, {"loss": "savage"}, {"algorithm": "adaboost-mh"}):
        host = trained(X, y, "cpu", **settings)
        for bring in kinds():
            there = trained(X, y, DEVICE, **settings)
            given = bring(X)
            assert np.array_equal(there.predict(given), host.predict(X))
            assert np.array_equal(there.predict(X), host.predict(X))
            proba = there.predict_proba(given)
            assert np.array_equal(to_numpy(proba), host.predict_proba(X))
            assert np.array_equal(there.predict_proba(X), host.predict_proba(X))
            assert np.array_equal(to_numpy(there.decision_function(given)), host.decision_function(X))
            if DEVICE != "emulated" and not isinstance(given, OfInterface):
                assert type(proba) is type(given)


def test_validation_rows_may_be_there() -> None:
    X, y = rows(seed=1)
    X2, y2 = rows(seed=2)
    settings = {"n_estimators": 30, "n_iter_no_change": 3, "learning_rate": 0.8}
    host = SimplexBoostClassifier(**settings).fit(X, y, eval_set=[(X2, y2)])
    for bring in kinds():
        there = SimplexBoostClassifier(**settings, device=DEVICE)
        there.fit(bring(X), y, eval_set=[(bring(X2), y2)])
        assert there.model_.to_bytes() == host.model_.to_bytes()


def test_rows_may_be_set_aside() -> None:
    X, y = rows()
    host = SimplexBoostClassifier(n_estimators=5, validation_fraction=0.2).fit(X, y)
    for bring in kinds():
        there = SimplexBoostClassifier(n_estimators=5, validation_fraction=0.2, device=DEVICE)
        assert there.fit(bring(X), y).model_.to_bytes() == host.model_.to_bytes()


def test_pickles_leave_the_device_behind() -> None:
    X, y = rows()
    there = trained(X, y, DEVICE)
    there.predict(X)
    again = pickle.loads(pickle.dumps(there))
    assert "_device_model" not in vars(again)
    assert np.array_equal(again.predict_proba(X), there.predict_proba(X))


def raises(text: str, call: object, *given: object) -> None:
    try:
        call(*given)
    except ValueError as error:
        assert text in str(error), error
    else:
        raise AssertionError(f"no error that says {text!r}")


def test_says_what_is_wrong() -> None:
    X, y = rows()
    for bring in kinds():
        bad = X.copy()
        bad[7, 2] = np.inf
        raises("infinity", trained, bring(bad), y, DEVICE)
        raises("2D array", trained, bring(X[:, 0]), y, DEVICE)
        model = trained(X, y, DEVICE)
        raises("is expecting 6 features", model.predict, bring(X[:, :4]))


if __name__ == "__main__":
    failed = []
    for name, test in sorted(globals().copy().items()):
        if not name.startswith("test_"):
            continue
        try:
            test()
            print(f"{name}: passed", flush=True)
        except Exception:
            failed.append(name)
            print(f"{name}: FAILED", flush=True)
            traceback.print_exc()
    raise SystemExit(1 if failed else 0)
