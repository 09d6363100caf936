"""The programs that bench/quality knows, and which of them a command line asks for. Needs nothing but
Python, so that the environment of the others can be found first."""

import argparse

# With what the command is told; what `ours-tuned` may spend is filled in: {seconds}.
OURS = {
    "ours": ["train"],
    "ours-fast": ["train", "--quality", "fast"],
    "ours-forest": ["train", "--algorithm", "forest", "--rounds", "500"],
    "ours-best": ["train", "--quality", "best"],
    "ours-tuned": ["tune", "--budget", "{seconds}s"],
}
# At their defaults.
PLAIN = [
    "lightgbm", "xgboost", "xgboost-vector", "catboost", "sklearn", "random-forest", "extra-trees",
]  # fmt: skip
TUNABLE = ["lightgbm", "xgboost", "xgboost-vector", "catboost", "sklearn"]
PEERS = [*PLAIN, *(f"{name}-tuned" for name in TUNABLE), "autogluon"]
USUAL = ["ours", "ours-best", *PLAIN]
ALL = ["ours", "ours-best", "ours-tuned", *PEERS]


def declare(parser):
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--programs", help=f"some of {','.join([*OURS, *PEERS])}; {','.join(USUAL)} "
                       "by default")  # fmt: skip
    which.add_argument("--all", action="store_true", help="defaults, those that are tuned, ours-best "
                       "and AutoGluon")  # fmt: skip


def chosen(arguments):
    if arguments.all:
        return list(ALL)
    return arguments.programs.split(",") if arguments.programs else list(USUAL)


def asked_for(words):
    """By the words of a command line that may have many others."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    declare(parser)
    return chosen(parser.parse_known_args(words)[0])
