"""How much memory this process may take."""

from __future__ import annotations

import os
import tempfile

from . import _core


def set_memory(
    max_memory: str | int | None = None, bins_on_disk: bool | str | os.PathLike[str] = False
) -> None:
    """Bound the memory of the trainings that begin from now on, in this process.

    Parameters
    ----------
    max_memory
        A size, as ``"800M"`` or ``"2.5G"``, or a number of bytes. Where a training would take more,
        by an estimate made before it begins, its bins go to a file, and what is still too much is a
        ``ValueError`` with the sizes. ``None``: what is free on the machine.
    bins_on_disk
        Keep bins in a file without a name in any case: ``True`` in the folder for temporary files,
        or a folder. ``X`` stays where it is; that of data beyond the memory may be a ``numpy.memmap``,
        which is read in place.

    Models do not depend on it.

    """
    folder = tempfile.gettempdir() if bins_on_disk is True else (bins_on_disk or "")
    _core.set_memory("" if max_memory is None else str(max_memory), os.fspath(folder))
