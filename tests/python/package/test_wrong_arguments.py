"""Arguments of a wrong kind are told by their names, in one line, not by the errors of what they
would have been used for."""

import numpy as np
import pytest
from scipy import sparse

from simplexboost import SimplexBoostClassifier, compare, suspects, tune
from simplexboost.callbacks import Dashboard


@pytest.fixture(scope="module")
def fitted(iris):
    return SimplexBoostClassifier("newton", n_estimators=2).fit(*iris)


def new(**parameters):
    return SimplexBoostClassifier("newton", n_estimators=2, **parameters)


@pytest.mark.parametrize(
    ("name", "call"),
    [
        *(("k", lambda one, X, k=k: one.predict_top(X, k)) for k in (-1, 0, 1.5, None, "a")),
        *(("coverage", lambda one, X, c=c: one.predict_set(X, c)) for c in ("a", None)),
        ("abstain_above", lambda one, X: one.predict_least_cost(X, 1 - np.eye(3), "a")),
        *(("number", lambda one, _, n=n: one.tree_text(n)) for n in (-1, 99, 0.5)),
        *(("path", lambda one, _, p=p: one.save_model(p)) for p in (b"x", "a\0b", 3, "\ud800", "")),
        ("path", lambda one, _: one.load_model(b"x")),
        ("path", lambda one, _: one.to_json("a\0b")),
        ("path", lambda *_: Dashboard("a\0b")),
        ("contrast", lambda one, X: one.explain(X, contrast=(0,))),
        ("contrast", lambda one, X: one.explain(X, contrast=3)),
    ],
)
def test_of_a_fitted_estimator(fitted, iris, name, call):
    with pytest.raises((ValueError, TypeError), match=rf"^{name}\b") as caught:
        call(fitted, iris[0])
    assert "\n" not in str(caught.value) and "incompatible" not in str(caught.value)


def a_round(state):
    return True


@pytest.mark.parametrize(
    ("name", "given"),
    [
        *(("checkpoint", {"checkpoint": path}) for path in (b"x", "a\0b", 3)),
        *(("callbacks", {"callbacks": one}) for one in (a_round, [3], 3, "ab")),
        *(("eval_set", {"eval_set": one}) for one in (3, "ab", (1,), np.ones(3), [None], [[1]])),
    ],
)
def test_of_fit(iris, name, given):
    with pytest.raises(ValueError, match=f"^{name}: "):
        new().fit(*iris, **given)


def test_groups_must_have_an_order(iris):
    groups = [object() for _ in iris[1]]
    with pytest.raises(ValueError, match="^groups: they cannot be sorted"):
        new(quality="default").fit(*iris, groups=groups)
    with pytest.raises(ValueError, match="^groups: they cannot be sorted"):
        tune(*iris, trials=1, groups=groups)


def test_of_functions(fitted, iris):
    with pytest.raises(ValueError, match="^estimator: 3 is no SimplexBoostClassifier"):
        suspects(*iris, estimator=3)
    for names in (("a",), ("a", 3), "abc", 3):
        with pytest.raises(ValueError, match="^names: "):
            compare(fitted, fitted, *iris, names=names)
    with pytest.raises(ValueError, match="^journal: "):
        tune(*iris, trials=1, journal="a\0b")


def test_more_than_double_precision_is_not_infinite(fitted, iris):
    X = iris[0].astype(np.longdouble)
    if np.finfo(np.longdouble).max == np.finfo(np.float64).max:
        pytest.skip("long double is double here")
    assert (fitted.predict(X) == fitted.predict(iris[0])).all()
    X[3, 1] = np.finfo(np.longdouble).max
    for call in (fitted.predict, lambda rows: new().fit(rows, iris[1])):
        with pytest.raises(ValueError, match="too large for dtype\\('float64'\\)"):
            call(X)


def test_a_sparse_matrix_wider_than_the_library_is_refused():
    parts = (np.ones(3), (np.arange(3), np.array([1, 2**33 - 2, 5])))
    X = sparse.csr_matrix(parts, shape=(3, 2**33))
    with pytest.raises(ValueError, match="^X has 8589934592 columns; give 4294967295 at most"):
        new().fit(X, [0, 1, 0])
