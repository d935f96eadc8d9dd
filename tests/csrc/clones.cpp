// A loop for each level of CPUs, called as kernels call it: by a lambda, of a generic lambda, of an inline function.
#include <onnxop/reduce.h>

#include <cstdio>
#include <vector>

namespace kernel {

using namespace onnxop;

inline double sum_of_squares(Dtype dtype, const std::vector<double>& values) {
  double result = 0;
  FloatTypes::visit(dtype, [&]<typename T>() {
    result = sum(std::ssize(values), [&](int64_t i) { return values[i] * values[i]; });
  });
  return result;
}

}  // namespace kernel

int main() {
  const double result = kernel::sum_of_squares(onnxop::Dtype::float32, {1, 2, 3});
  if (result == 14) return 0;
  std::printf("the sum of squares is %g, not 14\n", result);
  return 1;
}
