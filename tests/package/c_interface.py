#!/usr/bin/env python3
"""Calls the interface in C (include/simplexboost/simplexboost.h) through ctypes: every function,
every kind of mistake, many threads at once. Then compiles the example in C and runs it.

Usage: c_interface.py LIBRARY COMMAND CC INCLUDE...
"""

import ctypes
import math
import pathlib
import random
import subprocess
import sys
import tempfile
import threading

OK, BAD_ARGUMENT, BAD_MODEL, SYSTEM = range(4)


def load(path):
    library = ctypes.CDLL(path)
    for name in ["version", "last_error", "model_feature", "model_class", "model_category"]:
        getattr(library, f"sb_{name}").restype = ctypes.c_char_p
    for name in ["feature_count", "class_count", "round_count", "category_count"]:
        getattr(library, f"sb_model_{name}").restype = ctypes.c_size_t
    number = ctypes.c_size_t
    library.sb_model_feature.argtypes = [ctypes.c_void_p, number]
    library.sb_model_class.argtypes = [ctypes.c_void_p, number]
    library.sb_model_category_count.argtypes = [ctypes.c_void_p, number]
    library.sb_model_category.argtypes = [ctypes.c_void_p, number, number]
    library.sb_model_from_bytes.argtypes = [ctypes.c_char_p, number, ctypes.c_void_p]
    for name in ["predict", "predict_scores", "predict_proba"]:
        getattr(library, f"sb_{name}").argtypes = [
            ctypes.c_void_p,
            ctypes.c_void_p,
            number,
            ctypes.c_int,
            ctypes.c_void_p,
        ]
    return library


def write_data(path, rows):
    draw = random.Random(1)
    lines = ["x,colour,y,class"]
    table = []
    for _ in range(rows):
        x, colour, y = draw.gauss(0, 1), draw.choice(["red", "green", "blue"]), draw.gauss(0, 1)
        missing = draw.random() < 0.1
        label = "abc"[(x > 0) + (colour == "red")]
        lines.append(f"{x!r},{colour},{'' if missing else repr(y)},{label}")
        table.append((x, colour, math.nan if missing else y))
    path.write_text("\n".join(lines) + "\n")
    return table


def check_facts(library, model):
    assert library.sb_model_feature_count(model) == 3
    assert library.sb_model_class_count(model) == 3
    assert library.sb_model_round_count(model) == 20
    assert [library.sb_model_feature(model, f) for f in range(4)] == [b"x", b"colour", b"y", None]
    assert [library.sb_model_class(model, k) for k in range(4)] == [b"a", b"b", b"c", None]
    assert [library.sb_model_category_count(model, f) for f in range(4)] == [0, 3, 0, 0]
    assert library.sb_model_category(model, 1, 3) is None
    assert library.sb_model_has_proba(model) == 1 and library.sb_model_multi_label(model) == 0


def check_predictions(library, model, table, printed):
    codes = {library.sb_model_category(model, 1, c).decode(): c for c in range(3)}
    rows = (ctypes.c_double * (3 * len(table)))()
    for i, (x, colour, y) in enumerate(table):
        rows[3 * i : 3 * i + 3] = [x, codes[colour], y]
    classes = (ctypes.c_int32 * len(table))()
    scores = (ctypes.c_float * (3 * len(table)))()
    proba = (ctypes.c_double * (3 * len(table)))()
    assert library.sb_predict(model, rows, len(table), 2, classes) == OK
    assert library.sb_predict_scores(model, rows, len(table), 0, scores) == OK
    assert library.sb_predict_proba(model, rows, len(table), 1, proba) == OK
    assert ["abc"[k] for k in classes] == [line[0] for line in printed]
    for i, line in enumerate(printed):
        told = [float(p) for p in line[1:]]
        assert all(abs(p - q) < 1e-6 for p, q in zip(told, proba[3 * i : 3 * i + 3])), (i, line)

    def one_by_one(failures):
        own = (ctypes.c_double * 3)()
        own_class = (ctypes.c_int32 * 1)()
        own_scores = (ctypes.c_float * 3)()
        for i in range(len(table)):
            at = ctypes.byref(rows, 24 * i)
            good = library.sb_predict_proba(model, at, 1, 1, own) == OK
            good &= library.sb_predict(model, at, 1, 1, own_class) == OK
            good &= library.sb_predict_scores(model, at, 1, 1, own_scores) == OK
            good &= list(own) == proba[3 * i : 3 * i + 3] and own_class[0] == classes[i]
            good &= list(own_scores) == scores[3 * i : 3 * i + 3]
            if not good:
                failures.append(i)

    failures = []
    threads = [threading.Thread(target=one_by_one, args=[failures]) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures, failures


def check_mistakes(library, model, folder):
    handle = ctypes.c_void_p(1)
    assert library.sb_model_load(b"/nowhere/m.sb", ctypes.byref(handle)) == SYSTEM
    assert handle.value is None and b"/nowhere/m.sb" in library.sb_last_error()
    (folder / "bad.sb").write_bytes(b"no model at all")
    assert library.sb_model_load(str(folder / "bad.sb").encode(), ctypes.byref(handle)) == BAD_MODEL
    assert library.sb_model_from_bytes(b"12345678901234567890", 20, ctypes.byref(handle)) == BAD_MODEL
    assert library.sb_model_load(None, ctypes.byref(handle)) == BAD_ARGUMENT
    assert library.sb_model_load(b"m.sb", None) == BAD_ARGUMENT
    assert library.sb_predict(None, None, 1, 0, None) == BAD_ARGUMENT
    assert b"model is null" in library.sb_last_error()
    assert library.sb_predict(model, None, 1, 0, None) == BAD_ARGUMENT
    assert library.sb_predict(model, None, 1, -1, None) == BAD_ARGUMENT
    assert library.sb_predict(model, None, 0, 0, None) == OK
    assert library.sb_model_save(model, b"/nowhere/m.sb") == SYSTEM
    assert library.sb_model_class_count(None) == 0 and library.sb_model_class(None, 0) is None
    words = []
    thread = threading.Thread(target=lambda: words.append(library.sb_last_error()))
    thread.start()
    thread.join()
    assert words == [b""], "another thread's error"
    library.sb_model_free(None)


def check_example(compiler, includes, library, model, folder):
    source = pathlib.Path(__file__).resolve().parents[2] / "examples" / "serving" / "serve.c"
    flags = [f"-I{one}" for one in includes]
    strict = ["-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror"]
    program = folder / "serve"
    subprocess.run(
        [compiler, *strict, *flags, source, library, "-lpthread", "-o", program], check=True
    )
    place = str(pathlib.Path(library).resolve().parent)
    told = subprocess.run(
        [program, model, "3", "200"],
        check=True,
        capture_output=True,
        text=True,
        env={"LD_LIBRARY_PATH": place},
    ).stdout
    assert told.startswith("600 rows on 3 threads: p50 "), told


# Of each a model is trained; the last ones are ensembles of cross-fitted members.
KINDS = [
    ["--algorithm", "newton", "--rounds", "20"],
    ["--algorithm", "gd-mcboost", "--rounds", "20"],
    ["--algorithm", "adaboost-mh", "--rounds", "20"],
    ["--algorithm", "dmcboost", "--rounds", "8"],
    ["--quality", "default"],
    ["--quality", "best", "--rounds", "5"],
]


def check_kinds(library, run, table, folder):
    for kind in KINDS:
        run("train", "d.csv", "--model", "kind.sb", *kind, "--quiet")
        model = ctypes.c_void_p()
        assert library.sb_model_load(str(folder / "kind.sb").encode(), ctypes.byref(model)) == OK
        check_predictions(library, model, table, printed_by(run, "kind.sb"))
        library.sb_model_free(model)


def printed_by(run, model):
    """Lines of a class and its probabilities, as the command prints them."""
    classes = run("predict", model, "d.csv").split()[1:]
    lines = run("predict", model, "d.csv", "--proba").split()[1:]
    return [[own, *line.split(",")] for own, line in zip(classes, lines)]


def main(path, command, compiler, *includes):
    library = load(path)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        table = write_data(folder / "d.csv", 300)
        run = lambda *words: subprocess.run(  # noqa: E731
            [str(pathlib.Path(command).resolve()), *words], cwd=folder, check=True, capture_output=True, text=True
        ).stdout
        run("train", "d.csv", "--model", "m.sb", "--rounds", "20", "--quiet")
        model = ctypes.c_void_p()
        assert library.sb_model_load(str(folder / "m.sb").encode(), ctypes.byref(model)) == OK
        check_facts(library, model)
        check_predictions(library, model, table, printed_by(run, "m.sb"))
        check_kinds(library, run, table, folder)
        check_mistakes(library, model, folder)
        content = (folder / "m.sb").read_bytes()
        again = ctypes.c_void_p()
        assert library.sb_model_from_bytes(content, len(content), ctypes.byref(again)) == OK
        assert library.sb_model_save(again, str(folder / "n.sb").encode()) == OK
        assert (folder / "n.sb").read_bytes() == content
        check_example(compiler, includes, path, folder / "m.sb", folder)
        library.sb_model_free(again)
        library.sb_model_free(model)
    print(f"the interface in C of version {library.sb_version().decode()} does as it says")


if __name__ == "__main__":
    main(*sys.argv[1:])
