// Registers my_lib::my_add with PyTorch's dispatcher, through libtorch's stable ABI.
#include "torch_binding.h"

#include <torch/csrc/stable/library.h>

#include "kernel.h"
#include "torch_tensor.h"

namespace op {

Tensor call(const Tensor& a, const Tensor& b) {
  const TensorView a_view = view(kName, "a", a);
  const TensorView b_view = view(kName, "b", b);
  const TensorSpec spec = infer(a_view, b_view);
  Tensor output = allocate(spec);
  compute(output_view(output, spec), a_view, b_view, torch_parallel_for);
  return output;
}

}  // namespace op

// A fragment, because other packages may add operators to the same namespace.
STABLE_TORCH_LIBRARY_FRAGMENT(my_lib, m) {
  m.def("my_add(Tensor a, Tensor b) -> Tensor");
}

STABLE_TORCH_LIBRARY_IMPL(my_lib, CPU, m) {
  m.impl("my_add", TORCH_BOX(&op::call));
}
