"""Settings by Optuna: it proposes, poor trials are cut short, and the best is trained again.

`simplexboost.tune` needs nothing but the package and knows where to look for each algorithm; Optuna is
for those who have studies there already, or want its samplers and pictures.
"""

import optuna
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

import simplexboost
from simplexboost import OptunaPruning, SimplexBoostClassifier

X, y = load_digits(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
X_fit, X_valid, y_fit, y_valid = train_test_split(X_train, y_train, random_state=1)


def objective(trial):
    clf = SimplexBoostClassifier(
        "newton",
        n_estimators=60,
        learning_rate=trial.suggest_float("learning_rate", 0.1, 1.0, log=True),
        max_leaf_nodes=trial.suggest_int("max_leaf_nodes", 4, 64, log=True),
        n_iter_no_change=10,
    )
    # Tells Optuna the validation error after every round, and ends trials that it gives up.
    clf.fit(X_fit, y_fit, eval_set=[(X_valid, y_valid)], callbacks=[OptunaPruning(trial)])
    trial.set_user_attr("n_estimators", clf.best_iteration_)
    return 1 - clf.score(X_valid, y_valid)


optuna.logging.set_verbosity(optuna.logging.WARNING)
study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=0))
study.optimize(objective, n_trials=8)
rounds = study.best_trial.user_attrs["n_estimators"]
print(f"Optuna: {study.best_params}, {rounds} rounds, validation error {study.best_value:.4f}")
clf = SimplexBoostClassifier("newton", n_estimators=rounds, **study.best_params).fit(X_train, y_train)
print(f"accuracy on new rows: {clf.score(X_test, y_test):.4f}")

# The same without Optuna.
base = SimplexBoostClassifier("newton", n_estimators=60)
tuned = simplexboost.tune(X_train, y_train, base, trials=8, finalists=0)
print(f"tune: {tuned.best_params['n_estimators']} rounds, validation error {tuned.best_value:.4f}")
print(f"accuracy on new rows: {tuned.best_estimator.score(X_test, y_test):.4f}")
assert clf.score(X_test, y_test) > 0.93 and tuned.best_estimator.score(X_test, y_test) > 0.93
