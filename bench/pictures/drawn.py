"""What is drawn of which table: a line of this list is a picture."""

import dataclasses
import os
import pathlib
from typing import Callable

import charts
import tables

ROOT = pathlib.Path(__file__).resolve().parents[2]


@dataclasses.dataclass
class Picture:
    """`series` has, by name, the column of a row's cells and which of the numbers in it; `label` makes the row's
    name of them. Without a column for each series (`across`) every row is a series, over these columns."""

    path: str
    page: str
    heading: str
    title: str
    unit: str
    kind: Callable
    series: dict = dataclasses.field(default_factory=dict)
    label: str = "{0}"
    table: int = 0
    only: Callable = lambda row: True
    log: bool = False
    reference: float = None
    along: str = ""
    across: range = None
    change: Callable = lambda values: values

    def chart(self):
        head, rows = tables.table((ROOT / self.page).read_text(), self.heading, self.table)
        rows = [row for row in rows if self.only(row)]
        if self.across:
            labels = [tables.value(head[column]) for column in self.across]
            found = {
                self.label.format(*row): self.change([tables.value(row[column]) for column in self.across])
                for row in rows
            }
        else:
            labels = [self.label.format(*row) for row in rows]
            found = {
                name: self.change([tables.value(row[place[0]], *place[1:]) for row in rows])
                for name, place in self.series.items()
            }
        return charts.Chart(
            self.title, self.unit, labels, found, self.log, self.reference, self.along
        )

    def draw(self):
        return self.kind(self.chart())

    @property
    def address(self):
        """As its page names it."""
        return os.path.relpath(self.path, pathlib.PurePath(self.page).parent)


def results(name, heading, title, unit, kind, series, **more):
    """A picture of bench/results: `name` is that of its page, and what is behind a dash."""
    page = name.partition("-")[0]
    return Picture(
        f"bench/results/{name}.svg", f"bench/results/{page}.md", heading, title, unit, kind, series, **more
    )


def performance(name, heading, title, unit, kind, **more):
    return Picture(f"docs/images/{name}.svg", "docs/performance.md", heading, title, unit, kind, **more)


def speed_ups(values):
    return [values[0] / value for value in values]


PICTURES = [
    results("sets-coverage", "# Sets of 90 %", "Sets that were to hold the true class in 90 % of new rows",
            "coverage, %", charts.points, {"simplexboost": (4,), "MAPIE": (6,)}, reference=90, label="{0} ({1})"),
    results("sets-size", "# Sets of 90 %", "How many classes such a set has", "classes in a set, the mean of new rows",
            charts.points, {"simplexboost": (5,), "MAPIE": (7,)}, log=True, label="{0} ({1})"),
    results("suspects-precision", "# Planted wrong labels", "Of as many suspects as labels were wrong",
            "share of them that are wrong", charts.points, {"simplexboost": (3,), "cleanlab on LightGBM": (4,)},
            label="{0}, {2} wrong"),
    results("suspects-seconds", "# Planted wrong labels", "What it took to find them", "seconds of the processor",
            charts.points, {"simplexboost": (5,), "cleanlab on LightGBM": (6,)}, label="{0}, {2} wrong", log=True),
    results("calibration", "# Log loss before and after calibration",
            "What calibration changes in log loss, on the sets on which it changes any",
            "change, %; to the left of 0 it is better", charts.points,
            {"cross-fitted": (4,), "80 rounds": (7,)}, label="{0} ({1})", reference=0,
            only=lambda row: {row[4], row[7]} != {"+0.00"}),
    results("categories-log-loss", "# Categories", "Categories: log loss", "log loss of new rows", charts.points,
            {"simplexboost": (3,), "CatBoost": (4,)}, log=True),
    results("categories-seconds", "# Categories", "Categories: time of training", "seconds of the processor",
            charts.points, {"simplexboost": (7,), "CatBoost": (8,)}, log=True),
    results("exchange-onnx", "## onnxruntime", "A model in onnxruntime and in simplexboost",
            "microseconds a row, by how many come at a time", charts.points,
            {"simplexboost": (2,), "onnxruntime": (1,)}, label="{0} at a time", log=True),
    results("exchange-import", "## Imported models, 30 rounds, 4000 rows", "Imported models",
            "microseconds a row", charts.points, {"simplexboost": (2,), "where it was trained": (1,)},
            label="of {0}", log=True),
    results("ablation", "## One training", "One setting changed, on 30 sets",
            "log loss and error over those of the defaults; to the left of 1 it is better", charts.points,
            {"log loss": (2,), "error": (3,)}, reference=1, only=lambda row: row[1] == "30"),
    results("costs", "# Costs inside the loss and at prediction", "Mean cost of a new row", "cost", charts.bars,
            {"no costs": (2,), "in the loss": (3,), "at prediction": (4,), "at prediction, calibrated": (5,)}),
    results("monotone", "# Monotone constraints", "What a true constraint is worth", "log loss of new rows",
            charts.points, {"constrained": (3,), "free": (2,)}, label="noise {0}, {1}"),
    results("defaults", "# Our defaults on every set", "Our defaults beside a single tree grown out",
            "test error, %", charts.points, {"simplexboost": (3,), "a single tree": (4,)}, label="{0} ({2})"),
    results("tuned", "# Each program at its tuned best", "Each at its tuned best",
            "test log loss", charts.points, {"simplexboost": (2,), "the best peer": (3,)}, label="{0} ({1})",
            log=True),
    performance("threads", "## Threads", "Threads: times as fast as one", "times as fast as one thread",
                charts.lines, across=range(1, 6), change=speed_ups, along="threads", log=True),
    performance("prediction", "## Prediction", "Prediction in batches, one thread", "rows a second", charts.points,
                series={"simplexboost": (7,), "XGBoost": (4,)}, label="{0} ({1}), {2}", table=1, log=True),
    performance("prediction-single", "## Prediction", "Prediction of one row at a time, one thread", "rows a second",
                charts.points, series={"simplexboost": (4,), "XGBoost": (3,)}, label="{0} ({1}), {2}", table=2,
                log=True),
    performance("gpu", "## GPUs", "A round on one GPU and on 16 cores", "milliseconds a round", charts.points,
                series={"one H200": (3,), "16 cores": (4,)}, log=True, only=lambda row: row[4] != "-"),
    performance("growth-classes", "## How cost grows", "A round by the number of classes, one thread",
                "milliseconds of the processor a round, 16,000 rows",
                charts.points, series={"newton": (3,), "newton, no sketch": (5,), "adaboost-mh": (7,)},
                only=lambda row: row[1] == "classes", label="{2} classes", log=True),
    Picture("docs/images/scale.svg", "docs/scale.md", "## Few rows",
            "Few rows, on 16 cores: statistics gathered, or histograms summed", "seconds of 20 rounds",
            charts.lines,
            {"two, gathered": (1, 0), "two, summed": (1, 1), "eight, gathered": (2, 0), "eight, summed": (2, 1)},
            log=True, along="rows"),
    Picture("docs/images/reliability.svg", "docs/reliability.md", "## The promises",
            "How often each promise was put to the test",
            "inputs, failures, kills, trainings; two promises have no count",
            charts.points, {"tried": (2,)}, log=True, only=lambda row: tables.value(row[2]) is not None),
]  # fmt: skip
