"""What has been run so far, so that an interrupted comparison goes on: a line of JSON a run, or of a
table that can be kept beside the results."""

import csv
import json
import time


class Journal:
    def __init__(self, path):
        self.path = path
        self.results = {}
        if path.exists():
            for line in path.read_text().splitlines():
                entry = json.loads(line)
                self.results[tuple(entry["key"])] = entry["result"]

    def __contains__(self, key):
        return key in self.results

    def __getitem__(self, key):
        return self.results[key]

    def get(self, key):
        return self.results.get(key)

    def add(self, key, result):
        self.results[key] = result
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with open(self.path, "a") as file:
            file.write(json.dumps({"key": key, "result": result}) + "\n")

    def forget(self, unwanted):
        """Drops the results whose keys the predicate names."""
        self.results = {key: value for key, value in self.results.items() if not unwanted(key)}
        lines = [json.dumps({"key": k, "result": v}) + "\n" for k, v in self.results.items()]
        if self.path.exists():
            self.path.write_text("".join(lines))


class RunTable:
    """The same as a CSV file: set, program and fold, and the figures of each run."""

    KEY = ("set", "program", "fold")
    NUMBERS = ("error", "log_loss", "seconds", "estimate_error", "estimate_log_loss")
    COLUMNS = (*KEY, *NUMBERS, "failed", "date")

    def __init__(self, path):
        self.path = path
        self.results = {}
        if not path.exists():
            return
        with open(path, newline="") as file:
            for row in csv.DictReader(file):
                key = row["set"], row["program"], int(row["fold"])
                found = {name: float(row[name]) for name in self.NUMBERS if row[name]}
                found |= {name: row[name] for name in ("failed", "date") if row[name]}
                self.results[key] = found

    def __contains__(self, key):
        return key in self.results

    def get(self, key):
        return self.results.get(key)

    def add(self, key, result):
        result = dict(result)
        for name, value in (result.get("estimate") or {}).items():
            result[f"estimate_{name}"] = value["value"] if isinstance(value, dict) else value
        self.results[key] = {name: result[name] for name in self.COLUMNS if name in result}
        fresh = not self.path.exists()
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with open(self.path, "a", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            if fresh:
                writer.writerow(self.COLUMNS)
            writer.writerow(self.line(key))

    def line(self, key):
        result = self.results[key]
        numbers = [f"{result[name]:.6g}" if name in result else "" for name in self.NUMBERS]
        return [*key, *numbers, result.get("failed", ""), result.get("date", "")]

    def forget(self, unwanted):
        """Drops the results whose keys the predicate names."""
        self.results = {key: value for key, value in self.results.items() if not unwanted(key)}
        if not self.path.exists():
            return
        with open(self.path, "w", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(self.COLUMNS)
            writer.writerows(self.line(key) for key in self.results)


class OutOfBudget(Exception):
    pass


class Runner:
    """Runs what the journal does not hold yet, until the budget of seconds is spent."""

    def __init__(self, journal, budget, say):
        self.journal = journal
        self.ends = time.monotonic() + budget if budget else None
        self.say = say

    def __call__(self, key, action):
        if key in self.journal:
            return self.journal[key]
        if self.ends and time.monotonic() > self.ends:
            raise OutOfBudget
        begun = time.monotonic()
        result = action()
        result["date"] = time.strftime("%Y-%m-%d %H:%M")
        result["wall_seconds"] = time.monotonic() - begun
        self.journal.add(key, result)
        self.say(f"{' '.join(map(str, key))}: {result['wall_seconds']:.1f} s")
        return result
