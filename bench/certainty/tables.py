"""Data sets of the scripts here, and the tables that they write."""

import sys

import numpy as np
import pandas as pd


def read(folder, name):
    """Features, with text as categories, and labels; all rows of a set."""
    parts = [folder / name / f"{part}.csv.gz" for part in ("train", "test", "data")]
    table = pd.concat([pd.read_csv(path) for path in parts if path.exists()], ignore_index=True)
    features = table.drop(columns="class")
    for column in features.columns:
        if not pd.api.types.is_numeric_dtype(features[column]):
            features[column] = features[column].astype("category")
    return features, table["class"].astype(str).to_numpy()


def log_loss(classes, proba, y):
    """Of labels that were all seen in training."""
    own = np.asarray(proba)[np.arange(len(y)), np.searchsorted(classes, y)]
    return -np.log(np.clip(own, 1e-15, None)).mean()


class Table:
    """Markdown, printed line by line as it comes."""

    def __init__(self, title, columns):
        self.lines = [f"# {title}", "", f"    {sys.argv[0]} {' '.join(sys.argv[1:])}", ""]
        self.lines += [f"| {' | '.join(columns)} |", "|---" * len(columns) + "|"]
        print("\n".join(self.lines), flush=True)

    def add(self, *cells):
        self.lines.append("| " + " | ".join(str(cell) for cell in cells) + " |")
        print(self.lines[-1], flush=True)

    def say(self, text):
        self.lines += ["", text]
        print(text, flush=True)

    def write(self, path):
        if path:
            path.write_text("\n".join(self.lines) + "\n")
