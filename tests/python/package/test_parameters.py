"""The one table of parameters and the one table of algorithms, seen from Python."""

import inspect
import sys

import pytest

import simplexboost
from simplexboost import SimplexBoostClassifier, SimplexBoostMultiLabelClassifier, _core
from simplexboost._named import NAMED
from simplexboost._parameters import OPTIONS

SIGNATURE = inspect.signature(SimplexBoostClassifier.__init__).parameters
# Values by which the command says "the algorithm's choice"; Python says None.
UNSET = {"0", "-1", "auto", "none"}
TABLE = {row["name"]: row for row in _core.parameter_table()}


def test_every_parameter_of_the_library_has_a_python_name():
    assert sorted(OPTIONS.values()) == sorted(TABLE)


def test_every_python_name_is_an_argument_of_the_constructor():
    assert set(OPTIONS) <= set(SIGNATURE)


@pytest.mark.parametrize("name", sorted(set(OPTIONS) - {"n_jobs", "random_state"}))
def test_defaults_are_the_library_s(name):
    ours, theirs = SIGNATURE[name].default, TABLE[OPTIONS[name]]["default"]
    if ours is not None:  # else it is left to the library
        assert theirs not in UNSET or ours in ("auto", "none", 0)
        assert type(ours)(theirs) == ours


def test_seed_is_the_library_s_by_default():
    assert str(SIGNATURE["random_state"].default) == TABLE["seed"]["default"]


@pytest.mark.parametrize("estimator", [SimplexBoostClassifier, SimplexBoostMultiLabelClassifier])
def test_docstring_tells_of_every_argument(estimator):
    for name in set(SIGNATURE) - {"self"}:
        assert f"\n    {name}\n" in estimator.__doc__


def test_every_algorithm_has_a_class_of_its_own():
    assert sorted(NAMED) == sorted(row["name"] for row in _core.algorithms())
    assert {cls.__name__ for cls in NAMED.values()} <= set(simplexboost.__all__)


@pytest.mark.parametrize("algorithm", sorted(NAMED))
def test_named_classes_train_their_algorithm(algorithm, iris):
    estimator = NAMED[algorithm](n_estimators=3)
    assert "algorithm" not in estimator.get_params()
    assert estimator.fit(*iris).model_.algorithm == algorithm
    general = SimplexBoostClassifier(algorithm=algorithm, n_estimators=3).fit(*iris)
    assert general.model_.to_bytes() == estimator.model_.to_bytes()
    with pytest.raises((TypeError, ValueError)):
        estimator.set_params(algorithm="samme")
    with pytest.raises(TypeError):
        NAMED[algorithm](algorithm="samme")


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"n_estimators": 0}, "n_estimators: '0' is out of range; give a whole number, 1 to"),
        ({"n_estimators": 2.5}, "n_estimators: '2.5' is not a number of the right kind"),
        ({"learner": "tre"}, "learner: .*tree"),
        ({"algorithm": "same"}, "samme"),
        ({"max_features": 2.0}, "max_features: '2' is out of range"),
        ({"n_jobs": 0}, "n_jobs: 0"),
        ({"max_depth": "deep"}, "max_depth: 'deep'"),
        ({"min_gain": True}, "min_gain: True"),
        ({"dimension": 3, "algorithm": "samme"}, "dimension: samme has no codewords"),
        ({"validation_fraction": 2}, "validation_fraction: 2"),
        ({"categorical_features": "some"}, "categorical_features: 'some'"),
        ({"categorical_features": 1.5}, "categorical_features: 1.5 is no list"),
        ({"categorical_features": [1.5]}, "categorical_features: 1.5 is no position"),
        ({"categorical_features": [float("nan")]}, "categorical_features: nan is no position"),
        ({"categorical_features": [None]}, "categorical_features: None is no position"),
        ({"quality": 1}, "quality: 1 is no name; give 'auto'"),
        ({"quality": b"best"}, "quality: b'best' is no name"),
        ({"class_weight": {0: "a"}}, "class_weight: the weight of 0 must be a number, .* not 'a'"),
        ({"class_weight": {0: None}}, "class_weight: the weight of 0 .* not None"),
        ({"class_weight": {0: 10**400}}, "class_weight: the weight of 0 .* not 1000"),
    ],
)
def test_wrong_parameters_are_named_as_in_python(iris, wrong, message):
    with pytest.raises(ValueError, match=message):
        SimplexBoostClassifier(**wrong).fit(*iris)


def test_a_dimension_alone_is_trained_once(iris):
    assert SimplexBoostClassifier(dimension=2).fit(*iris).quality_ == "fast"


def test_no_class_weights_are_none(iris):
    plain, empty = (
        SimplexBoostClassifier(n_estimators=3, class_weight=weights).fit(*iris).model_.to_bytes()
        for weights in (None, {})
    )
    assert plain == empty


def test_options_reach_the_model(iris):
    model = SimplexBoostClassifier(
        "gd-mcboost", n_estimators=4, max_depth=3, loss="savage", dimension=2, random_state=11
    ).fit(*iris).model_
    given = {"rounds": "4", "depth": "3", "loss": "savage", "dimension": "2", "seed": "11"}
    assert {name: model.parameters[name] for name in given} == given


def test_threads_do_not_matter(blobs):
    models = [
        SimplexBoostClassifier(n_estimators=5, n_jobs=jobs).fit(*blobs).model_.to_bytes()
        for jobs in (1, 2, -1, None)
    ]
    assert len(set(models)) == 1


@pytest.mark.parametrize(
    "kind",
    [SimplexBoostClassifier, SimplexBoostMultiLabelClassifier, simplexboost.NewtonBoostClassifier],
)
def test_an_unknown_argument_is_an_error_in_the_name_of_the_class(kind):
    with pytest.raises(TypeError, match="unexpected keyword argument 'treess'") as error:
        kind(treess=3)
    assert "Constructor" not in str(error.value)
    assert sys.version_info < (3, 10) or str(error.value).startswith(f"{kind.__name__}.")
