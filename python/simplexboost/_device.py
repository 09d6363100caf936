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


def _parts(value: Any, name: str) -> tuple[int, tuple[int, ...], tuple[int, ...], str]:
    """Pointer, shape, strides in bytes and type."""
    if hasattr(value, "detach"):  # torch: its gradients are no matter here
        value = value.detach()
    if hasattr(value, "__dlpack__"):
        try:
            pointer, shape, strides, kind = _core.dlpack_parts(value)
        except (BufferError, RuntimeError, TypeError) as error:
            raise ValueError(
                f"{name} is in the memory of a device, and DLPack does not tell where; copy it to the "
                "host first, as by .cpu()"
            ) from error
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


def device_view(
    value: Any, name: str, device: str
) -> tuple[_core.DeviceArray, tuple[int, ...], np.dtype]:
    """An array of one or two dimensions, kept alive; its shape and type."""
    pointer, shape, strides, kind = _parts(value, name)
    if not 1 <= len(shape) <= 2:
        raise ValueError(f"{name} has {len(shape)} dimensions where one or two are needed")
    one = len(shape) == 1
    whole = (shape[0], 1 if one else shape[1])
    steps = (strides[0], 0 if one else strides[1])
    view = _core.DeviceArray(pointer, whole, steps, kind, value, device)
    return view, shape, np.dtype(kind)


def to_host(value: Any, name: str) -> np.ndarray:
    """A copy in the memory of this process, for labels and weights."""
    view, shape, kind = device_view(value, name, "cuda")
    return view.to_host().reshape(shape).astype(kind, copy=False)


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
