"""Who is compared with whom: defaults with defaults, what is tuned with what is tuned. Each contest has
sets, ranks, means and pictures of its own."""

from dataclasses import dataclass

from comparison.program_names import OURS, PLAIN, TUNABLE


@dataclass(frozen=True)
class Contest:
    key: str  # in the names of its pictures
    title: str
    programs: tuple
    pace: str = "lightgbm"  # whose seconds are 1

    def among(self, programs):
        """The same of those that are there."""
        there = tuple(p for p in self.programs if p in programs)
        return Contest(self.key, self.title, there, self.pace)

    @property
    def has_both_sides(self):
        return any(p in OURS for p in self.programs) and any(p not in OURS for p in self.programs)


USUAL = (
    Contest("defaults", "Defaults against defaults", ("ours", "ours-fast", "ours-forest", *PLAIN)),
    Contest(
        "tuned", "Best against tuned peers",
        ("ours-best", "ours-tuned", *(f"{name}-tuned" for name in TUNABLE)), "ours-best",
    ),
    Contest("autogluon", "Best against AutoGluon", ("ours-best", "autogluon"), "autogluon"),
)  # fmt: skip


def asked(text):
    """KEY=PROGRAM,PROGRAM,... of a command line; the first one's seconds are 1."""
    key, _, programs = text.partition("=")
    if not key.isidentifier() or not programs:
        raise ValueError(f"{text!r} is no summary; give one like boosters=ours,lightgbm,catboost")
    programs = tuple(programs.split(","))
    return Contest(key, key.replace("_", " ").capitalize(), programs, programs[0])


def held(programs, given=()):
    """The contests that programs which have run can hold, `given` beside the usual ones; one of all of
    them where there is none. And the programs that are in no contest."""
    found = [contest.among(programs) for contest in (*USUAL, *given)]
    found = [contest for contest in found if contest.has_both_sides]
    found = found or [Contest("all", "All together", tuple(programs))]
    return found, [p for p in programs if not any(p in contest.programs for contest in found)]
