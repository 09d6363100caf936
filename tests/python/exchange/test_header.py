"""Models as a header: compiled by g++, clang++ and a C compiler without a warning, and the same."""

import ctypes
import shutil
import subprocess

import numpy as np
import pytest

from simplexboost import SimplexBoostClassifier

PROGRAM = """
#include "model.h"
#ifdef __cplusplus
extern "C" {
#endif
void run_rows(const double* rows, int count, float* scores, double* proba, int* classes);
const char* name_of(int k);
void run_rows(const double* rows, int count, float* scores, double* proba, int* classes) {
  int i;
  for (i = 0; i < count; ++i) {
    m_scores(rows + i * m_FEATURES, scores + i * m_CLASSES);
    PROBA
    classes[i] = (int)m_class(rows + i * m_FEATURES);
  }
  (void)proba;
}
const char* name_of(int k) { return k < 0 ? m_feature_name(0) : m_class_name((uint32_t)k); }
#ifdef __cplusplus
}
#endif
"""
WARNINGS = ["-Wall", "-Wextra", "-Werror", "-pedantic"]
COMPILERS = [["g++", "-std=c++11"], ["clang++", "-std=c++17"], ["gcc", "-std=c99"]]


def compiled(header, folder, compiler=("g++", "-std=c++11"), proba=True, flags=("-O0",)):
    program = PROGRAM.replace(
        "PROBA", "m_proba(rows + i * m_FEATURES, proba + i * m_CLASSES);" if proba else ""
    )
    source = folder / ("program.c" if compiler[0] == "gcc" else "program.cpp")
    (folder / "model.h").write_text(header)
    source.write_text(program)
    library = folder / f"{compiler[0]}.so"
    subprocess.run(
        [*compiler, *WARNINGS, *flags, "-shared", "-fPIC", source, "-o", library, "-lm"], check=True
    )
    loaded = ctypes.CDLL(str(library))
    loaded.name_of.restype = ctypes.c_char_p
    return loaded


def run(library, matrix, classes):
    rows = len(matrix)
    scores = np.empty((rows, classes), dtype=np.float32)
    proba = np.empty((rows, classes))
    labels = np.empty(rows, dtype=np.int32)
    pointer = lambda array: array.ctypes.data_as(ctypes.c_void_p)  # noqa: E731
    library.run_rows(pointer(matrix), rows, pointer(scores), pointer(proba), pointer(labels))
    return scores, proba, labels


def check(case, library, exact=True):
    ours = case.model.model_
    scores, proba, labels = run(library, case.matrix, len(ours.classes))
    expected = ours.predict_scores(case.model._table(case.table), threads=1)
    if ours.members or not exact:
        np.testing.assert_allclose(scores, expected, atol=1e-6, rtol=1e-6)
    else:
        np.testing.assert_array_equal(scores, expected)
    np.testing.assert_array_equal(case.model.classes_[labels], case.model.predict(case.table))
    if ours.has_proba:
        np.testing.assert_allclose(proba, case.model.predict_proba(case.table), atol=1e-6)


def test_is_the_same_model(case, tmp_path):
    header = case.model.to_header(name="m")
    check(case, compiled(header, tmp_path, proba=case.model.model_.has_proba))


def test_adjusted_probabilities_are_written(adjusted_case, tmp_path):
    header = adjusted_case.model.to_header(name="m")
    check(adjusted_case, compiled(header, tmp_path, COMPILERS[2]), exact=False)


@pytest.mark.parametrize("compiler", COMPILERS, ids=lambda words: words[0])
def test_compiles_without_a_warning(newton_case, compiler, tmp_path):
    if shutil.which(compiler[0]) is None:
        pytest.skip(f"{compiler[0]} is not there")
    check(newton_case, compiled(newton_case.model.to_header(name="m"), tmp_path, compiler))


def test_constants_are_read_only_and_nothing_is_allocated(newton_case, tmp_path):
    compiled(newton_case.model.to_header(name="m"), tmp_path, flags=("-Os",))
    nm = subprocess.run(["nm", "-D", tmp_path / "g++.so"], capture_output=True, text=True, check=True)
    wanted = {line.split()[-1].split("@")[0] for line in nm.stdout.splitlines() if " U " in line}
    assert wanted <= {"exp", "log1p", "log", "memcpy"}, wanted
    size = subprocess.run(["size", tmp_path / "g++.so"], capture_output=True, text=True, check=True)
    text, data, bss = map(int, size.stdout.splitlines()[1].split()[:3])
    assert data + bss < 1000 < text  # what is written to at load time: names, the loader's own


def test_hostile_names_stay_names(tmp_path):
    x = np.arange(40.0).reshape(-1, 1)
    names = np.array(['a"; int x; //', "b*/??/\\"])[(x[:, 0] > 20).astype(int)]
    model = SimplexBoostClassifier(n_estimators=2, quality="fast").fit(x, names)
    library = compiled(model.to_header(tmp_path / "model.h", name="m"), tmp_path)
    assert [library.name_of(k).decode() for k in range(2)] == sorted(set(names))
    for name in ["", "1m", "m-1", "m;"]:
        with pytest.raises(ValueError, match="cannot begin names in C"):
            model.to_header(name=name)


def test_command_writes_the_same(newton_case, simplexboost, tmp_path):
    newton_case.model.save_model(tmp_path / "m.sb")
    written = simplexboost.succeed("export", "header", "m.sb", "--name", "m")
    assert written == newton_case.model.to_header(name="m")
    assert "--name" in simplexboost.fail("export", "json", "m.sb", "--name", "m", status=2)
