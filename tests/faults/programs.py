"""Two builds of the command, for two kinds of processor or by two compilers, train the same models, byte
for byte: all that `levels` trains, each once by either."""

from levels import algorithms, make_data, model_of, works_of
from sandbox import Stage, Tally, results_of


def run(tools, options):
    tally = Tally()
    with Stage(tools) as stage:
        make_data(stage)
        works = [work for work in works_of(algorithms(tools)) if options.only in str(work)]
        works = works[:: options.step]

        def train(point):
            work, command = point
            return model_of(command, stage, work, ["--threads", "1"], tools.environment())

        commands = (tools.command, options.other.resolve())
        points = [(work, command) for work in works for command in commands]
        digests = list(results_of(options, train, points))
        for work, here, there in zip(works, digests[::2], digests[1::2]):
            same = here == there and len(here) == 64
            tally.add(None if same else f"{work}: {here}, by {options.other}: {there}")
    return tally
