"""What has been run so far: a line of JSON a run, so that an interrupted comparison goes on."""

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
