"""Error and log loss of class scores, in the same terms for every program."""

import numpy

LEAST_PROBABILITY = 1e-15


def error(scores, labels):
    return float((scores.argmax(axis=1) != labels).mean())


def log_loss_of_scores(scores, labels):
    """Of the softmax of the scores."""
    scores = scores.astype(numpy.float64)
    shifted = scores - scores.max(axis=1, keepdims=True)
    logs = shifted[numpy.arange(len(labels)), labels] - numpy.log(numpy.exp(shifted).sum(axis=1))
    return float(-numpy.maximum(logs, numpy.log(LEAST_PROBABILITY)).mean())
