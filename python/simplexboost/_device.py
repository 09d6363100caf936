"""Arrays in the memory of a GPU (cupy, torch, jax, numba): read where they are."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from . import _core

_GPU = 2  # DLPack's kDLCUDA


def is_on_device(value: Any) -> bool:
    """Whether an array is in the memory of a GPU."""
    if isinstance(value, (np.ndarray, np.generic)):
        return False
    if hasattr(value, "__dlpack_device__"):
        return int(value.__dlpack_device__()[0]) == _GPU
    try:  # torch raises here for tensors that want gradients, or that are not on a GPU
        return hasattr(value, "__cuda_array_interface__")
    except (RuntimeError, TypeError):
        return False


def _parts(value: Any) -> tuple[int, tuple[int, ...], tuple[int, ...], str]:
    """Pointer, shape, strides in bytes and type."""
    if hasattr(value, "detach"):  # torch: its gradients are no matter here
        value = value.detach()
    if hasattr(value, "__dlpack__"):
        pointer, shape, strides, kind = _core.dlpack_parts(value)
        return pointer, shape, strides, kind
    said = value.__cuda_array_interface__
    if said.get("mask") is not None:
        raise ValueError("an array on a device has a mask; fill in NaN for what is missing")
    shape, kind = tuple(said["shape"]), str(said["typestr"])
    strides = said.get("strides")
    if strides is None:  # row by row
        strides, size = [], int(kind[2:])
        for length in reversed(shape):
            strides.insert(0, size)
            size *= length
    return int(said["data"][0]), shape, tuple(strides), kind


def device_view(value: Any, device: str) -> _core.DeviceArray:
    """An array of one or two dimensions, kept alive."""
    pointer, shape, strides, kind = _parts(value)
    if not 1 <= len(shape) <= 2:
        raise ValueError(f"an array of {len(shape)} dimensions where one or two are needed")
    if len(shape) == 1:
        shape, strides = (shape[0], 1), (strides[0], 0)
    return _core.DeviceArray(pointer, shape, strides, kind, value, device)


def to_host(value: Any, device: str = "cuda") -> np.ndarray:
    """A copy in the memory of this process, for labels and weights."""
    _, shape, _, kind = _parts(value)
    return device_view(value, device).to_host().reshape(shape).astype(np.dtype(kind), copy=False)


def like(result: Any, given: Any) -> Any:
    """A result as an array of the library, and on the device, that `given` is of."""
    library = type(given).__module__.partition(".")[0]
    if library not in ("torch", "cupy", "jax", "jaxlib"):
        return result
    if isinstance(result, np.ndarray):  # computed here
        if library == "torch":
            return sys.modules["torch"].from_numpy(result).to(given.device)
        module = sys.modules["cupy" if library == "cupy" else "jax.numpy"]
        return module.asarray(result)
    if library == "torch":
        return sys.modules["torch"].from_dlpack(result)
    return sys.modules["cupy" if library == "cupy" else "jax.dlpack"].from_dlpack(result)
