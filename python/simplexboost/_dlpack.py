"""Arrays of other libraries (torch, jax, cupy, ...) by DLPack: seen in place, without a copy."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._device import is_on_device, to_host

_HOST = (1, 3, 11)  # kDLCPU, kDLCUDAHost and kDLROCMHost: memory that this process can read


def as_numpy(value: Any, name: str) -> Any:
    """A view of the memory of an object that has `__dlpack__`, a copy of that of a GPU; anything else
    as it is."""
    if is_on_device(value):
        return to_host(value, name)
    if isinstance(value, (np.ndarray, np.generic)) or not hasattr(value, "__dlpack__"):
        return value
    if hasattr(value, "__arrow_c_array__"):  # Arrow's own way knows text and missing values, too
        return value
    device = value.__dlpack_device__()
    if int(device[0]) not in _HOST:
        raise ValueError(
            f"{name} is in the memory of a device (DLPack's type {int(device[0])}); copy it to the "
            "host first, as by .cpu()"
        )
    try:
        return np.from_dlpack(value)
    except (BufferError, RuntimeError, TypeError) as error:
        raise ValueError(
            f"{name} cannot be read by DLPack: {error}; give whole numbers, float32 or float64, as by "
            ".detach() and .float()"
        ) from error
