from torch import Tensor

def asinh(
    self: Tensor,
) -> Tensor: ...
