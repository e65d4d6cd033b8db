"""LayerNorm for networks in torch: both directions run on the simulated device."""

from __future__ import annotations

import os

import torch

from .ops import layer_norm, layer_norm_backward

__all__ = ["LayerNorm"]


class _LayerNorm(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight, bias, eps, backward_kernels):
        y, mean, rstd = layer_norm(x, weight, bias, epsilon=eps, return_statistics=True)
        ctx.save_for_backward(x, weight, mean, rstd)
        ctx.eps, ctx.kernels = eps, backward_kernels
        return y

    @staticmethod
    def backward(ctx, dy):  # type: ignore[override]
        x, weight, mean, rstd = ctx.saved_tensors
        dx, dweight, dbias = layer_norm_backward(x, weight, dy, mean=mean, rstd=rstd, epsilon=ctx.eps, kernels=ctx.kernels)
        return dx, dweight, dbias, None, None


class LayerNorm(torch.nn.Module):
    """LayerNorm over the last dimension, as `torch.nn.LayerNorm`; float32 or bfloat16.

    `backward_kernels` is a folder of kernels in C++ that run backward in place of the shipped ones.
    """

    def __init__(
        self,
        features: int,
        eps: float = 1e-5,
        dtype: torch.dtype = torch.float32,
        backward_kernels: str | os.PathLike[str] | None = None,
    ) -> None:
        super().__init__()
        self.eps = eps
        self.backward_kernels = backward_kernels
        self.weight = torch.nn.Parameter(torch.ones(features, dtype=dtype))
        self.bias = torch.nn.Parameter(torch.zeros(features, dtype=dtype))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """y of x."""
        return _LayerNorm.apply(x, self.weight, self.bias, self.eps, self.backward_kernels)

    def extra_repr(self) -> str:
        """What the module prints of itself."""
        return f"{self.weight.numel()}, eps={self.eps}, on a simulated device"
