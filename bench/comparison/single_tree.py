"""Our defaults on every data set, beside the least that may be asked: a single tree, guessing."""

import numpy

from comparison import programs, report

HEADER = (
    "| data | rows x features | K | test error, % | a single tree's | test log loss "
    "| of the classes' shares | training, s | peak MB | met |\n" + "|---" * 10 + "|"
)


def tree_error(prepared):
    """scikit-learn's tree, grown out; categories go in as numbers."""
    from sklearn.tree import DecisionTreeClassifier

    train, test = (numpy.load(prepared.file(part, "npz")) for part in ("train", "test"))
    tree = DecisionTreeClassifier(random_state=0).fit(train["x"], train["y"])
    return float((tree.predict(test["x"]) != test["y"]).mean())


def guess_log_loss(prepared):
    """Of the classes' shares in the training rows."""
    train, test = (numpy.load(prepared.file(part, "npz"))["y"] for part in ("train", "test"))
    shares = numpy.bincount(train, minlength=prepared.classes) / len(train)
    return float(-numpy.log(shares[test]).mean())


class Defaults:
    """Training with no option given."""

    def __init__(self, journal, machine, once):
        self.journal = journal
        self.machine = machine
        self.once = once

    def run_set(self, prepared, model):
        self.once((prepared.name, "ours", "defaults", 0), lambda: self.figures(prepared, model))

    def figures(self, prepared, model):
        result = programs.run_ours(prepared, self.machine, model, {})
        if "failed" in result:
            return result
        wanted = ("train_seconds", "peak_memory_mb")
        return {
            **{key: result[key] for key in wanted},
            **programs.evaluate_ours(prepared, self.machine, model),
            "tree_error": tree_error(prepared),
            "guess_log_loss": guess_log_loss(prepared),
        }

    def row(self, prepared):
        result = self.journal.get((prepared.name, "ours", "defaults", 0))
        if not result:
            return None
        if "failed" in result:
            return f"| {prepared.name} | {result['failed']} |" + " |" * 8
        met = (
            result["error"] <= result["tree_error"]
            and result["log_loss"] < result["guess_log_loss"]
        )
        return (
            f"| {prepared.name} | {prepared.rows:,} x {prepared.features} | {prepared.classes} "
            f"| {100 * result['error']:.2f} | {100 * result['tree_error']:.2f} "
            f"| {result['log_loss']:.4f} | {result['guess_log_loss']:.4f} "
            f"| {report.seconds(result['train_seconds'])} | {result['peak_memory_mb']:.0f} "
            f"| {report.yes(met)} |"
        )


def write(defaults, prepared, folder, command_line):
    rows = [row for row in map(defaults.row, prepared) if row]
    machine = defaults.machine
    text = [
        "# Our defaults on every set", "", f"    {command_line}", "",
        f"{report.dates(defaults.journal)}; {report.cpu()}, {machine.threads} threads; "
        f"{programs.version_of_ours(machine)}. Met: no more errors than a single tree grown out, "
        "and a lower log loss than the shares of the classes have.", "", HEADER, *rows,
    ]  # fmt: skip
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "defaults.md").write_text("\n".join(text) + "\n")
