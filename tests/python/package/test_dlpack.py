"""Arrays of other libraries by DLPack, and what scikit-learn's users expect of names and outputs."""

import numpy as np
import pytest

from simplexboost import SimplexBoostClassifier, SimplexBoostMultiLabelClassifier
from simplexboost._dlpack import as_numpy


class Tensor:
    """All that DLPack asks of an array, and nothing else: neither `__array__` nor a buffer."""

    def __init__(self, values, device=(1, 0)):
        self.values = np.asarray(values)
        self.device = device

    def __dlpack__(self, **options):
        return self.values.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.device


@pytest.mark.parametrize("dtype", ["float32", "float64", "int16", "uint8"])
@pytest.mark.parametrize("arrange", [np.ascontiguousarray, np.asfortranarray, lambda X: X[::2, ::-1]])
def test_tensors_are_seen_in_place(blobs, dtype, arrange):
    X = arrange((blobs[0] * 10).astype(dtype))
    y = blobs[1][: len(X)]
    assert np.shares_memory(as_numpy(Tensor(X), "X"), X)
    ours = SimplexBoostClassifier(n_estimators=5).fit(Tensor(X), Tensor(y), Tensor(np.ones(len(y))))
    numpys = SimplexBoostClassifier(n_estimators=5).fit(X, y, np.ones(len(y)))
    assert ours.model_.to_json() == numpys.model_.to_json()
    assert (ours.predict_proba(Tensor(X)) == numpys.predict_proba(X)).all()


def test_tensors_of_several_labels(label_sets):
    X, Y = label_sets
    ours = SimplexBoostMultiLabelClassifier(n_estimators=5).fit(Tensor(X), Tensor(Y))
    assert (ours.predict(X) == SimplexBoostMultiLabelClassifier(n_estimators=5).fit(X, Y).predict(X)).all()


def test_tensors_that_cannot_be_read(iris):
    X, y = iris
    with pytest.raises(ValueError, match="X is in the memory of a device.*cpu"):
        SimplexBoostClassifier(n_estimators=2).fit(Tensor(X, device=(2, 0)), y)
    with pytest.raises(ValueError, match="y is in the memory of a device"):
        SimplexBoostClassifier(n_estimators=2).fit(X, Tensor(y, device=(10, 1)))

    class NeedsGradient(Tensor):
        def __dlpack__(self, **options):
            raise BufferError("it requires gradient")

    with pytest.raises(ValueError, match="X cannot be read by DLPack: it requires gradient"):
        SimplexBoostClassifier(n_estimators=2).fit(NeedsGradient(X), y)
    with pytest.raises(ValueError):
        SimplexBoostClassifier(n_estimators=2).fit(Tensor(X.ravel()), y)
    with pytest.raises(ValueError, match="infinity"):
        SimplexBoostClassifier(n_estimators=2).fit(Tensor(np.full((150, 2), np.inf)), y)


@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_set_output(iris, kind):
    X, y = iris
    estimator = SimplexBoostClassifier(n_estimators=3).fit(X, y)
    plain = estimator.transform(X)
    frame = estimator.set_output(transform=kind).transform(X)
    assert type(frame).__module__.split(".")[0] == kind
    assert list(frame.columns) == list(estimator.get_feature_names_out())
    assert (frame.to_numpy() == plain).all()


def test_names_are_checked(iris):
    pd = pytest.importorskip("pandas")
    X = pd.DataFrame(iris[0], columns=["a", "b", "c", "d"])
    estimator = SimplexBoostClassifier(n_estimators=3).fit(X, iris[1])
    assert list(estimator.feature_names_in_) == ["a", "b", "c", "d"]
    with pytest.raises(ValueError, match="same order"):
        estimator.predict(X[["b", "a", "c", "d"]])
    with pytest.raises(ValueError, match="Feature names seen at fit time, yet now missing"):
        estimator.predict(X.rename(columns={"d": "e"}))
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        estimator.predict(iris[0])
    with pytest.raises(ValueError, match="3 features"):
        SimplexBoostClassifier(n_estimators=3).fit(*iris).predict(iris[0][:, :3])
