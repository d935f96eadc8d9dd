#include <Python.h>
#include <torch/all.h>
#include <torch/library.h>

// The module is empty: importing it runs the registrations below.
extern "C" PyObject* PyInit__C() {
  static PyModuleDef definition = {PyModuleDef_HEAD_INIT, "_C", nullptr, -1, nullptr};
  return PyModule_Create(&definition);
}

namespace official_add {

at::Tensor my_add(const at::Tensor& a, const at::Tensor& b) {
  TORCH_CHECK(a.sizes() == b.sizes());
  TORCH_CHECK(a.dtype() == at::kFloat);
  TORCH_CHECK(b.dtype() == at::kFloat);
  const at::Tensor a_row = a.contiguous(), b_row = b.contiguous();
  at::Tensor result = torch::empty(a_row.sizes(), a_row.options());
  const float* a_data = a_row.data_ptr<float>();
  const float* b_data = b_row.data_ptr<float>();
  float* to = result.data_ptr<float>();
  for (int64_t i = 0; i < result.numel(); ++i) to[i] = 2 * a_data[i] + b_data[i];
  return result;
}

TORCH_LIBRARY(official_add, m) { m.def("my_add(Tensor a, Tensor b) -> Tensor"); }

TORCH_LIBRARY_IMPL(official_add, CPU, m) { m.impl("my_add", &my_add); }

}  // namespace official_add
