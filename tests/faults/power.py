"""The power fails. The calls of a run are recorded with their bytes, and played to a disk that keeps
only what was synced: of the rest any part may be lost, whatever the order in which it was written.
After a failure at any point every file is whole, and not older than what a finished save promised.

The disk knows less than any real one: fsync on a file does not keep its name, a rename may reach it
before the bytes do, and names are kept in order only by fsync on the folder.
"""

import collections
import json
import pathlib
import random
import shutil

from sandbox import Stage, Tally, chosen, in_parallel

BLOCK = 512
CREATES = 0o100
TRUNCATES = 0o1000


class File:
    """Bytes that are safe, and changes that are not: (offset, bytes), or (size, None) for a cut."""

    def __init__(self, content=b""):
        self.safe = content
        self.changes = []

    @staticmethod
    def apply(content, changes):
        content = bytearray(content)
        for offset, data in changes:
            if data is None:
                content = content[:offset] + bytes(max(0, offset - len(content)))
            else:
                content += bytes(max(0, offset - len(content)))
                content[offset : offset + len(data)] = data
        return bytes(content)

    def now(self):
        return self.apply(self.safe, self.changes)

    def sync(self):
        self.safe, self.changes = self.now(), []

    def after_failure(self, draw):
        """What may be left: no change, all, the first ones, or blocks here and there."""
        kind = draw.randrange(4)
        if kind == 0:
            return self.safe
        if kind == 1:
            return self.now()
        if kind == 2:
            return self.apply(self.safe, self.changes[: draw.randint(0, len(self.changes))])
        blocks = []
        for offset, data in self.changes:
            if data is None:
                blocks.append((offset, data))
                continue
            pieces = range(0, len(data), BLOCK)
            blocks += [(offset + at, data[at : at + BLOCK]) for at in pieces]
        return self.apply(self.safe, [block for block in blocks if draw.random() < 0.5])


class Disk:
    """Names and files. A change of names is a dict from name to file or None, all at once."""

    def __init__(self, folder):
        self.files = {}
        self.safe_names = {}
        self.changes = []
        # What each name has ever stood for as a whole, and how old it may be at the least.
        self.versions = collections.defaultdict(list)
        self.promised = collections.defaultdict(int)
        for path in folder.rglob("*"):
            if path.is_file():
                inode = path.stat().st_ino
                self.files[inode] = File(path.read_bytes())
                self.safe_names[str(path)] = inode
                self.versions[str(path)].append(path.read_bytes())

    def names(self, changes=None):
        names = dict(self.safe_names)
        for change in self.changes if changes is None else changes:
            names.update(change)
        return {name: inode for name, inode in names.items() if inode is not None}

    def _keep_names(self, folder):
        def inside(change):
            return any(str(pathlib.Path(name).parent) == folder for name in change)

        for change in self.changes:
            if inside(change):
                self.safe_names.update(change)
        self.changes = [change for change in self.changes if not inside(change)]
        for name, versions in self.versions.items():
            if str(pathlib.Path(name).parent) == folder:
                self.promised[name] = len(versions) - 1

    def finish(self, wanted):
        """The command has said that all went well: what it wrote is promised."""
        for name in wanted:
            self.promised[name] = max(0, len(self.versions[name]) - 1)

    def play(self, call):
        name, path, inode = call["name"], call["path"].replace("/./", "/"), call["inode"]
        if call["result"] < 0:
            return
        if name in ("open", "openat", "creat"):
            if call["flags"] & CREATES and path not in self.names():
                self.files[inode] = File()
                self.changes.append({path: inode})
            elif call["flags"] & TRUNCATES:
                self.files[inode].changes.append((0, None))
        elif name in ("write", "pwrite64", "writev") and inode in self.files:
            self.files[inode].changes.append((call["offset"], bytes.fromhex(call["data"])))
        elif name == "ftruncate" and inode in self.files:
            self.files[inode].changes.append((call["offset"], None))
        elif name in ("fsync", "fdatasync"):
            if inode in self.files:
                self.files[inode].sync()
            else:
                self._keep_names(path)
        elif name.startswith("rename"):
            target = call["to"].replace("/./", "/")
            moved = self.names()[path]
            self.changes.append({target: moved, path: None})
            self.versions[target].append(self.files[moved].now())
        elif name.startswith("unlink"):
            self.changes.append({path: None})

    def after_failure(self, draw):
        """Contents by name of one of the states that a failure now may leave."""
        kind = draw.randrange(3)
        changes = self.changes
        if kind == 1:
            changes = changes[: draw.randint(0, len(changes))]
        elif kind == 2:
            changes = [change for change in changes if draw.random() < 0.5]
        contents = {inode: file.after_failure(draw) for inode, file in self.files.items()}
        return {name: contents[inode] for name, inode in self.names(changes).items()}


def record(stage, command):
    folder = stage.fresh(command)
    disk = Disk(folder)
    log = stage.folder / f"{command.name}.log"
    outcome = stage.run(command, folder, [stage.tools.tracer, "--data", "--log", log, "--"])
    calls = [json.loads(line) for line in log.read_text().splitlines()]
    if outcome.status != 0:
        raise SystemExit(f"{command.name} fails without any fault: {outcome.stderr}")
    inside = [call for call in calls
              if call.get("path", "").startswith(str(folder))
              or call.get("to", "").startswith(str(folder))]
    return folder, disk, inside


def judge(state, disk, wanted):
    for name in wanted:
        versions = disk.versions[name][disk.promised[name] :]
        content = state.get(name)
        if content is None:
            if disk.versions[name] and disk.promised[name] == 0 and name not in disk.safe_names:
                continue  # it was never promised to be there
            if not disk.versions[name]:
                continue
            return f"{name} is gone"
        if content not in versions:
            age = "torn" if content not in disk.versions[name] else "older than was promised"
            return f"{name} is {age}"
    return None


def restart(stage, command, folder, state):
    """Puts a state on the real disk, and runs the command on it."""
    place = stage.fresh(command)
    for path in place.rglob("*"):
        if path.is_file():
            path.unlink()
    for name, content in state.items():
        target = place / pathlib.Path(name).relative_to(folder)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    outcome = stage.run(command, place)
    shutil.rmtree(place)
    return None if outcome.status == 0 else f"it does not start again: {outcome.stderr.strip()}"


def run(tools, options):
    tally = Tally()
    writers = [command for command in chosen(options)
               if command.writes or command.name == "experiment"]
    with Stage(tools) as stage:
        for command in writers:
            folder, disk, calls = record(stage, command)
            wanted = [str(folder / name) for name in command.writes]
            restarts = []
            for at, call in enumerate([*calls, None]):
                if call is not None:
                    disk.play(call)
                else:
                    disk.finish(wanted)
                draws = options.runs // max(1, len(calls)) + 1
                if call is None:
                    draws *= 10  # most is promised at the end
                for seed in range(draws):
                    draw = random.Random(f"{options.seed} {command.name} {at} {seed}")
                    state = disk.after_failure(draw)
                    found = judge(state, disk, wanted)
                    tally.add(found and f"{command.name}, power lost after call {at} "
                                        f"({call and call['name']}), draw {seed}: {found}")
                    if draw.random() < 0.02:
                        restarts.append((at, state))

            def attempt(point, command=command, folder=folder):
                found = restart(stage, command, folder, point[1])
                return found and f"{command.name}, power lost after call {point[0]}: {found}"

            in_parallel(options, tally, attempt, restarts)
            print(f"  {command.name}: {len(calls)} calls, {len(restarts)} restarts", flush=True)
    return tally
