"""Whatever holds rows and columns can be learnt from, and gives the same model."""

import subprocess
import sys
import textwrap

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
import sklearn
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from simplexboost import SimplexBoostClassifier, SimplexBoostMultiLabelClassifier


def model_bytes(X, y, **parameters):
    return SimplexBoostClassifier(n_estimators=3, **parameters).fit(X, y).model_.to_bytes()


NUMBER_KINDS = [
    *("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    *("float16", "float32", "float64", "longdouble", "bool", ">f8", ">i4", "object"),
]


@pytest.mark.parametrize("dtype", NUMBER_KINDS)
def test_any_kind_of_number(dtype):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2 if dtype == "bool" else 50, size=(80, 5))
    y = (X[:, 0] + X[:, 1] > X[:, :2].mean() * 2).astype(int)
    assert model_bytes(X.astype(dtype), y) == model_bytes(X.astype(float), y)


@pytest.mark.parametrize(
    "arrange",
    [
        np.asfortranarray,
        lambda X: np.repeat(np.repeat(X, 2, axis=0), 3, axis=1)[::2, ::3],
        lambda X: X[::-1, ::-1].copy()[::-1, ::-1],
        lambda X: X.astype(np.float32).astype(float).tolist(),
        pd.DataFrame,
        sp.csr_matrix,
        sp.csc_array,
        sp.coo_matrix,
    ],
)
def test_any_arrangement(blobs, arrange):
    X, y = blobs
    X = X.astype(np.float32).astype(float)
    estimator = SimplexBoostClassifier(n_estimators=3).fit(arrange(X), y)
    assert estimator.model_.to_bytes() == model_bytes(X, y)
    plain = SimplexBoostClassifier(n_estimators=3).fit(X, y)
    assert (estimator.predict_proba(arrange(X)) == plain.predict_proba(X)).all()


def test_read_only_arrays(blobs, tmp_path):
    X, y = blobs
    np.save(tmp_path / "X.npy", X)
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    assert not mapped.flags.writeable
    assert model_bytes(mapped, y) == model_bytes(X, y)


def test_sparse_matrices_with_duplicates_and_disorder(blobs):
    _, y = blobs
    rng = np.random.default_rng(0)
    rows, columns = rng.integers(600, size=4000), rng.integers(30, size=4000)
    X = sp.coo_matrix((rng.normal(size=4000), (rows, columns)), shape=(600, 30))
    y = (np.asarray(X.sum(axis=1)).ravel() > 0).astype(int)
    csr = sp.csr_matrix((X.data, (rows, columns)), shape=(600, 30))
    csr.indices = csr.indices.copy()
    assert model_bytes(X, y) == model_bytes(X.toarray(), y) == model_bytes(csr, y)
    unsorted = sp.csc_matrix(
        (np.array([2.0, 1.0, 5.0]), np.array([2, 0, 1]), np.array([0, 2, 3])), shape=(3, 2)
    )
    before = unsorted.indices.copy()
    assert model_bytes(unsorted, [0, 1, 1]) == model_bytes(unsorted.toarray(), [0, 1, 1])
    assert (unsorted.indices == before).all(), "the caller's matrix is left as it is"


def broken_parts():
    """Of a sound matrix, what a caller can write into its arrays."""
    def column_beyond(X): X.indices[3] = 1_000_000
    def column_below(X): X.indices[3] = -5
    def start_beyond(X): X.indptr[5] = 1_000_000
    def start_below(X): X.indptr[5] = -3
    def starts_swapped(X): X.indptr[3], X.indptr[4] = X.indptr[4], X.indptr[3]
    return [column_beyond, column_below, start_beyond, start_below, starts_swapped]


@pytest.mark.parametrize("change", broken_parts())
@pytest.mark.parametrize("arrange", [sp.csr_matrix, sp.csc_matrix])
def test_sparse_matrices_whose_parts_do_not_fit_are_refused(change, arrange):
    rng = np.random.default_rng(0)
    sound = arrange(rng.random((40, 40)) * (rng.random((40, 40)) < 0.4))
    y = np.arange(40) % 2
    estimator = SimplexBoostClassifier(n_estimators=2).fit(sound, y)
    broken = sound.copy()
    change(broken)
    with pytest.raises(ValueError):
        SimplexBoostClassifier(n_estimators=2).fit(broken, y)
    with pytest.raises(ValueError):
        estimator.predict(broken)
    labels = arrange(np.eye(40))
    change(labels)
    with pytest.raises(ValueError):
        SimplexBoostMultiLabelClassifier(n_estimators=2).fit(rng.random((40, 3)), labels)


def test_pairs_of_a_sparse_matrix_beyond_its_shape_are_refused():
    X = sp.coo_matrix((np.ones(4), ([0, 1, 2, 3], [0, 1, 0, 1])), shape=(4, 2))
    X.col[2] = 1_000_000
    with pytest.raises(ValueError, match="outside of its shape"):
        SimplexBoostClassifier(n_estimators=2).fit(X, [0, 1, 0, 1])


def sparse_words(rows=400, columns=300, seed=3):
    rng = np.random.default_rng(seed)
    X = sp.random(rows, columns, density=0.03, random_state=seed, format="csr")
    X.data = rng.integers(1, 4, size=X.nnz).astype(np.float32)
    X.data[::17] = np.nan
    X.data[::19] = 0
    y = np.asarray(X[:, :columns // 2].getnnz(axis=1) > X[:, columns // 2:].getnnz(axis=1)).astype(int)
    return X, y + (np.arange(rows) % 2)


@pytest.mark.parametrize("name", ["newton", "adaboost-mh", "dmcboost", "forest"])
def test_rows_and_columns_of_sparse_matrices_give_the_model_of_dense_ones(name):
    X, y = sparse_words()
    dense = X.toarray()
    for one in (X, X.tocsc(), X.tocoo(), X.astype(np.float64)):
        assert model_bytes(one, y, algorithm=name) == model_bytes(dense, y, algorithm=name)
    clf = SimplexBoostClassifier(algorithm=name, n_estimators=5).fit(X, y)
    expected = clf.predict_proba(dense)
    for one in (X, X.tocsc(), X[:, np.arange(X.shape[1])]):
        np.testing.assert_array_equal(clf.predict_proba(one), expected)


def test_of_many_columns_those_without_values_are_no_features(tmp_path):
    X, y = sparse_words(columns=50)
    places = np.sort(np.random.default_rng(0).choice(900_000, 50, replace=False))
    wide = sp.csr_matrix((X.data, places[X.indices], X.indptr), shape=(X.shape[0], 1_000_000))
    clf = SimplexBoostClassifier(n_estimators=5).fit(wide, y)
    narrow = SimplexBoostClassifier(n_estimators=5).fit(X, y)
    assert clf.n_features_in_ == 1_000_000 and len(clf.model_.feature_names) <= 51
    np.testing.assert_array_equal(clf.predict_proba(wide), narrow.predict_proba(X))
    np.testing.assert_array_equal(clf.predict_proba(wide.tocsc()), narrow.predict_proba(X))
    np.testing.assert_array_equal(clf.predict_proba(wide[:3].toarray()), narrow.predict_proba(X[:3]))
    clf.save_model(tmp_path / "wide.sb")
    again = SimplexBoostClassifier().load_model(tmp_path / "wide.sb")
    assert again.n_features_in_ == 1_000_000
    np.testing.assert_array_equal(again.predict_proba(wide), narrow.predict_proba(X))
    assert again.feature_importances_.shape == (1_000_000,)
    np.testing.assert_allclose(again.feature_importances_[places], narrow.feature_importances_)
    watched = SimplexBoostClassifier(n_estimators=5).fit(wide, y, eval_set=[(wide[:100], y[:100])])
    assert watched.n_features_in_ == 1_000_000


def test_memory_of_wide_sparse_training_follows_what_is_not_zero():
    program = """
import numpy as np, resource, scipy.sparse as sp, sys
from simplexboost import SimplexBoostClassifier
rows = 1000
X = sp.csr_matrix((np.ones(rows), (np.arange(rows), np.arange(rows) * 998)), shape=(rows, 998_002))
y = np.arange(rows) % 3
SimplexBoostClassifier(n_estimators=2, quality="fast").fit(X[:10], y[:10])
start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
SimplexBoostClassifier(n_estimators=20, quality="fast").fit(X, y).predict(X)
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - start) / 1024)
"""
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert float(told.stdout) < 64, told.stdout


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(5)
    rows = 400
    frame = pd.DataFrame(
        {
            "number": rng.normal(size=rows),
            "whole": rng.integers(-5, 5, size=rows),
            "colour": pd.Categorical(rng.choice(["red", "green", "blue"], size=rows)),
            "text": rng.choice(["a", "b", "c", "d"], size=rows),
            "flag": rng.random(rows) < 0.5,
        }
    )
    frame.loc[::9, ["number", "colour", "text"]] = None
    y = (frame["whole"] + 3 * (frame["colour"] == "red") + 2 * frame["flag"] > 1).astype(int)
    return frame, y.to_numpy()


FRAMES = {
    "pandas": lambda f: f,
    "pandas with objects": lambda f: f.assign(text=f["text"].astype(object)),
    "pandas nullable": lambda f: f.astype(
        {"number": "Float64", "whole": "Int64", "flag": "boolean"}
    ),
    "polars": pl.from_pandas,
    "polars categorical": lambda f: pl.from_pandas(f).with_columns(
        pl.col("text").cast(pl.Categorical)
    ),
    "arrow": lambda f: pa.Table.from_pandas(f, preserve_index=False),
    "arrow in chunks": lambda f: pa.concat_tables(
        [pa.Table.from_pandas(part, preserve_index=False) for part in (f[:100], f[100:])]
    ),
    "arrow batch": lambda f: pa.RecordBatch.from_pandas(f, preserve_index=False),
    "arrow slice": lambda f: pa.Table.from_pandas(
        pd.concat([f[:7], f]), preserve_index=False
    ).slice(7),
    "arrow large strings": lambda f: pa.Table.from_pandas(f, preserve_index=False).cast(
        pa.Table.from_pandas(f, preserve_index=False).schema.set(
            3, pa.field("text", pa.large_string())
        )
    ),
    "arrow string views": lambda f: pa.Table.from_pandas(f, preserve_index=False).cast(
        pa.Table.from_pandas(f, preserve_index=False).schema.set(
            3, pa.field("text", pa.string_view())
        )
    ),
}


@pytest.mark.parametrize("kind", FRAMES)
def test_frames_of_any_library_give_one_model(frame, kind):
    X, y = frame
    estimator = SimplexBoostClassifier(n_estimators=5).fit(FRAMES[kind](X), y)
    plain = SimplexBoostClassifier(n_estimators=5).fit(X, y)
    assert estimator.model_.to_bytes() == plain.model_.to_bytes()
    assert (estimator.predict_proba(FRAMES[kind](X)) == plain.predict_proba(X)).all()
    assert [one is not None for one in plain.model_.categories] == [False, False, True, True, False]
    assert plain.model_.categories[2] == ["blue", "green", "red"]


def test_labels_from_frames(frame):
    X, y = frame
    expected = SimplexBoostClassifier(n_estimators=2).fit(X, y).predict(X)
    for labels in (pd.Series(y), pl.Series(y), pa.array(y), list(y), pd.DataFrame({"y": y})):
        with pytest.warns() if labels.__class__ is pd.DataFrame else _nothing():
            estimator = SimplexBoostClassifier(n_estimators=2).fit(X, labels)
        assert (estimator.predict(X) == expected).all()


class _nothing:
    def __enter__(self):
        return self

    def __exit__(self, *_):
        return False


def test_unseen_categories_are_missing_values(frame):
    X, y = frame
    estimator = SimplexBoostClassifier(n_estimators=5).fit(X, y)
    other = X.assign(colour=pd.Categorical(["violet"] * len(X)))
    missing = X.assign(colour=pd.Categorical([None] * len(X), categories=["red"]))
    assert (estimator.predict_proba(other) == estimator.predict_proba(missing)).all()
    reordered = X.assign(colour=X["colour"].cat.set_categories(["red", "blue", "green", "x"]))
    assert (estimator.predict_proba(reordered) == estimator.predict_proba(X)).all()


def test_chosen_categorical_features(blobs):
    rng = np.random.default_rng(2)
    codes = rng.integers(0, 12, size=300)
    X = np.column_stack([rng.normal(size=300), codes])
    y = np.isin(codes, [1, 4, 6, 9, 11]).astype(int)
    parameters = {"n_estimators": 1, "max_leaf_nodes": 2, "learning_rate": 1}
    plain = SimplexBoostClassifier(**parameters).fit(X, y)
    for chosen in ([1], [False, True], np.array([1])):
        one_cut = SimplexBoostClassifier(**parameters, categorical_features=chosen).fit(X, y)
        assert one_cut.score(X, y) == 1 > plain.score(X, y)
    names = pd.DataFrame(X, columns=["a", "b"])
    named = SimplexBoostClassifier(**parameters, categorical_features=["b"]).fit(names, y)
    assert named.score(names, y) == 1
    for wrong in ([2], ["c"], [True]):
        with pytest.raises(ValueError, match="categorical_features"):
            SimplexBoostClassifier(categorical_features=wrong).fit(X, y)


def test_columns_that_cannot_be_used(frame):
    X, y = frame
    dates = X.assign(day=pd.Timestamp("2020-01-01"))
    with pytest.raises(ValueError, match="column 'day'"):
        SimplexBoostClassifier().fit(dates, y)
    with pytest.raises(ValueError, match="column 'day' has the Arrow type"):
        SimplexBoostClassifier().fit(pl.from_pandas(dates), y)
    with pytest.raises(ValueError, match="infinity.*number"):
        SimplexBoostClassifier().fit(X.assign(number=np.inf), y)
    with pytest.raises(ValueError, match="categorical_features"):
        SimplexBoostClassifier(categorical_features=None).fit(
            X.assign(text=X["text"].astype(object)), y
        )


def test_names_must_agree(frame):
    X, y = frame
    estimator = SimplexBoostClassifier(n_estimators=2).fit(X, y)
    with pytest.raises(ValueError, match="feature names"):
        estimator.predict(X.rename(columns={"number": "other"}))
    with pytest.raises(ValueError):
        estimator.predict(pl.from_pandas(X[["number", "whole"]]))


def test_arrow_needs_no_pandas():
    code = """
    import sys

    class NoPandas:
        def find_spec(self, name, path=None, target=None):
            if name.split(".")[0] == "pandas":
                raise ModuleNotFoundError("No module named 'pandas'", name=name)

    sys.meta_path.insert(0, NoPandas())
    import numpy as np, polars as pl
    from simplexboost import SimplexBoostClassifier
    frame = pl.DataFrame({"x": [1.0, 2.0, None, 4.0] * 20, "c": ["a", "b", "b", None] * 20})
    y = np.array([0, 1, 1, 0] * 20)
    print(SimplexBoostClassifier(n_estimators=5).fit(frame, y).score(frame, y))
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=False
    )
    assert done.stdout.strip() == "1.0", done.stderr


@settings(max_examples=40, deadline=None)
@given(
    data=st.data(),
    dtype=st.sampled_from(["float32", "float64", "int16", "uint8"]),
    shape=st.tuples(st.integers(2, 30), st.integers(1, 5)),
)
def test_any_matrix_is_learnt_or_refused(data, dtype, shape):
    finite = {"allow_nan": True, "allow_infinity": False} if dtype[0] == "f" else {}
    elements = hnp.from_dtype(np.dtype(dtype), **finite)
    X = data.draw(hnp.arrays(dtype, shape, elements=elements))
    y = data.draw(hnp.arrays("int64", shape[0], elements=st.integers(-3, 3)))
    estimator = SimplexBoostClassifier(n_estimators=2)
    if len(np.unique(y)) < 2:
        with pytest.raises(ValueError, match="class"):
            estimator.fit(X, y)
        return
    proba = estimator.fit(X, y).predict_proba(X)
    assert np.isfinite(proba).all()
    assert np.allclose(proba.sum(axis=1), 1)
    assert (estimator.classes_[proba.argmax(axis=1)] == estimator.predict(X)).mean() > 0.99


@settings(max_examples=25, deadline=None)
@given(
    texts=st.lists(
        st.one_of(st.none(), st.text(st.characters(exclude_categories=["Cs"]), max_size=6)),
        min_size=4,
        max_size=40,
    )
)
def test_any_text_can_be_a_category(texts):
    y = np.arange(len(texts)) % 2
    models = [
        SimplexBoostClassifier(n_estimators=2).fit(table, y).model_.to_bytes()
        for table in (
            pd.DataFrame({"x": pd.Series(texts, dtype=object).astype("category")}),
            pa.table({"x": pa.array(texts, pa.string())}),
            pa.table({"x": pa.array(texts, pa.string()).dictionary_encode()}),
        )
    ]
    assert len(set(models)) == 1


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_matrix_in_c_order_is_not_copied(dtype):
    """Peak memory of a fit grows by the bins, a byte a value, and by less than a copy."""
    code = f"""
    import resource, sys
    import numpy as np
    from simplexboost import SimplexBoostClassifier
    rng = np.random.default_rng(0)
    peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    small = rng.normal(size=(100, 200)).astype({dtype.__name__!r})
    SimplexBoostClassifier(n_estimators=1, n_jobs=1).fit(small, small[:, 0] > 0)
    X = np.empty((40_000, 200), {dtype.__name__!r})
    for j in range(200):
        X[:, j] = rng.integers(0, 200, size=40_000)
    y = X[:, 0] > 100
    before = peak()
    estimator = SimplexBoostClassifier(n_estimators=1, max_depth=1, n_jobs=1).fit(X, y)
    fitted = peak()
    estimator.predict(X)
    print(fitted - before, peak() - fitted, X.nbytes, X.size)
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=True
    )
    fit, predict, size, values = map(int, done.stdout.split())
    assert fit < values + 0.5 * size, (fit, values, size)
    assert predict < 0.25 * size


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
@pytest.mark.parametrize("order", ["C", "F", "strided"])
def test_infinities_are_found_wherever_they_are(iris, dtype, order):
    X, y = iris
    big = np.tile(X, (500, 1)).astype(dtype)
    X = big[:, ::2] if order == "strided" else np.asarray(big, order=order)
    estimator = SimplexBoostClassifier(n_estimators=1).fit(X[:150], y)
    for row, value in ((0, np.inf), (len(X) - 1, -np.inf), (70_001, np.inf)):
        X[row, 1] = value
        X[3, 0] = np.nan
        with pytest.raises(ValueError, match="contains infinity"):
            estimator.predict(X)
        X[row, 1] = 1
    assert len(estimator.predict(X)) == len(X)


def test_who_says_that_all_is_finite_is_believed(iris):
    X, y = iris
    estimator = SimplexBoostClassifier(n_estimators=1).fit(X, y)
    with sklearn.config_context(assume_finite=True):
        assert len(estimator.predict(np.full_like(X, np.inf))) == 150


@pytest.mark.parametrize(
    ("matrix", "words"),
    [
        (np.array([["2026-01-01"]] * 6, dtype="datetime64[s]"), r"X holds datetime64\[s\]"),
        (np.array([[3]] * 6, dtype="timedelta64[s]"), r"X holds timedelta64\[s\]"),
        ([[10**400, i] for i in range(6)], "no number of double precision"),
        ([[object(), i] for i in range(6)], "no number of double precision"),
    ],
)
def test_matrices_of_what_is_no_number_are_refused_in_one_line(matrix, words):
    with pytest.raises(ValueError, match=words) as told:
        SimplexBoostClassifier(n_estimators=2).fit(matrix, [0, 1, 0, 1, 0, 1])
    assert "\n" not in str(told.value)


def test_lists_of_large_whole_numbers_are_numbers():
    lists = [[10**40 * (i % 2), i] for i in range(12)]
    assert model_bytes(lists, [0, 1] * 6) == model_bytes(np.array(lists, dtype=float), [0, 1] * 6)


def test_infinities_in_lists_of_objects_are_found():
    with pytest.raises(ValueError, match="infinity"):
        SimplexBoostClassifier(n_estimators=2).fit([[float("inf"), 10**40]] * 6, [0, 1] * 3)


@pytest.mark.parametrize("chosen", ["from_dtype", None])
def test_complex_columns_of_frames_are_refused(chosen):
    frame = pd.DataFrame({"a": np.arange(12.0), "c": np.arange(12) * 1j})
    with pytest.raises(ValueError, match="column 'c' holds complex128"):
        SimplexBoostClassifier(n_estimators=2, categorical_features=chosen).fit(frame, [0, 1] * 6)


def test_categories_of_one_name_are_refused_by_their_column():
    frame = pd.DataFrame({"a": np.arange(12.0), "c": pd.Categorical([1, "1", 2] * 4)})
    with pytest.raises(ValueError, match="column 'c': two categories are called '1'"):
        SimplexBoostClassifier(n_estimators=2).fit(frame, [0, 1] * 6)


def test_labels_that_no_file_can_hold():
    X = np.arange(12.0).reshape(-1, 1)
    with pytest.raises(ValueError, match="cannot be written as UTF-8") as told:
        SimplexBoostClassifier(n_estimators=2).fit(X, ["\ud800", "a"] * 6)
    assert "\n" not in str(told.value)
    named = pd.Series([0, 1] * 6, name="\ud800")
    SimplexBoostClassifier(n_estimators=2).fit(X, named)
