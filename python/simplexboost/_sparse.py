"""scipy's sparse matrices, which may be made of any arrays."""

from __future__ import annotations

from typing import Any


def check_sparse(X: Any) -> None:
    """Refuses a matrix whose parts do not fit: scipy itself would read beyond its arrays."""
    if hasattr(X, "check_format"):
        X.check_format(full_check=True)
    elif X.format == "coo" and X.nnz > 0:
        for indices, size in ((X.row, X.shape[0]), (X.col, X.shape[1])):
            if len(indices) != len(X.data) or indices.min() < 0 or indices.max() >= size:
                raise ValueError("the indices of a sparse matrix lie outside of its shape")
