// Registers asinh::asinh with PyTorch's dispatcher, through libtorch's stable ABI.
#include "torch_binding.h"

#include <torch/csrc/stable/library.h>

#include "kernel.h"
#include "torch_tensor.h"

namespace op {

Tensor call(const Tensor& self) {
  const TensorView self_view = view(kName, "self", self);
  const TensorSpec spec = infer(self_view);
  Tensor output = allocate(spec);
  compute(output_view(output, spec), self_view, torch_parallel_for);
  return output;
}

}  // namespace op

// A fragment, because other packages may add operators to the same namespace.
STABLE_TORCH_LIBRARY_FRAGMENT(asinh, m) {
  m.def("asinh(Tensor self) -> Tensor");
}

STABLE_TORCH_LIBRARY_IMPL(asinh, CPU, m) {
  m.impl("asinh", TORCH_BOX(&op::call));
}
