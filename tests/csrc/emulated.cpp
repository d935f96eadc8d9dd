// A host of kernels for tests: a C function calls an op with tensors of any strides. With ONNXOP_CUDA, g++ compiles the
// kernels for CUDA, by standin/cuda.
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <onnxop/values.h>

namespace {

using namespace onnxop;

std::vector<const Op*>& ops() {
  static std::vector<const Op*> all;
  return all;
}

#if defined(ONNXOP_CUDA)
class CallWorker final : public cuda::Stream {
 public:
  CallWorker() : Stream(nullptr) {}

 protected:
  void* allocate(size_t bytes) const override {
    return taken_.emplace_back(std::make_unique<std::byte[]>(bytes)).get();
  }

 private:
  mutable std::vector<std::unique_ptr<std::byte[]>> taken_;
};
#else
class CallWorker final : public ParallelFor {
 protected:
  void run(int64_t count, int64_t, const Range& body) const override {
    if (count > 0) body(0, count);
  }
};
#endif

struct Tensor {
  void* data;
  int32_t dtype;  // -1: there is none
  int32_t rank;
  const int64_t* sizes;
  const int64_t* strides;
};

struct CallArgument {
  Tensor tensor;
  int64_t integer;
  double real;
  int32_t is_integral;
};

TensorView view_of(const char* name, const Tensor& tensor) {
  const auto rank = static_cast<size_t>(tensor.rank);
  return {name, tensor.data, static_cast<Dtype>(tensor.dtype), {tensor.sizes, rank}, {tensor.strides, rank}};
}

std::optional<MutableTensorView> result_of(const char* name, const Tensor& tensor) {
  if (tensor.dtype < 0) return std::nullopt;
  const TensorView view = view_of(name, tensor);
  return MutableTensorView{view.name, tensor.data, view.dtype, view.sizes, view.strides};
}

Value value_of(const Argument& argument, const CallArgument& value) {
  if (argument.is_tensor()) {
    if (value.tensor.dtype < 0) return None();
    return view_of(argument.name, value.tensor);
  }
  if (argument.type.kind == Kind::real) return value.real;
  if (argument.type.kind == Kind::boolean) return value.integer != 0;
  if (argument.type.kind == Kind::integer || argument.type.kind == Kind::size) return value.integer;
  if (argument.type.kind == Kind::number) return value.is_integral != 0 ? Scalar(value.integer) : Scalar(value.real);
  fail(argument.name, " has a type that the test does not pass");
}

void run(const Op& op, bool is_backward, std::span<const Tensor> results, std::span<const Tensor> grads,
         std::span<const CallArgument> arguments) {
  std::vector<Value> values;
  for (size_t i = 0; i < arguments.size(); ++i) values.push_back(value_of(op.arguments[i], arguments[i]));
  const CallWorker worker;
  const std::vector<TensorSpec> specs = specs_of(op, values);
  if (is_backward) {
    std::vector<std::optional<MutableTensorView>> gradients;
    for (const Tensor& result : results) gradients.push_back(result_of("gradient", result));
    std::vector<TensorView> views;
    for (const Tensor& grad : grads) views.push_back(view_of("grad", grad));
    op.backward(gradients, views, values, worker);
    return;
  }
  std::vector<MutableTensorView> outputs;
  for (size_t i = 0; i < results.size(); ++i) {
    outputs.push_back(*result_of(op.results[i].name, results[i]));
    const bool is_as_inferred = std::ranges::equal(specs[i].sizes, outputs[i].sizes) && specs[i].dtype == outputs[i].dtype;
    if (!is_as_inferred) fail("infer() returns other sizes or another dtype than the test expects");
  }
  op.compute(outputs, values, worker);
}

}  // namespace

void onnxop::add(const Op& op, const Boxed&, const char*, uint32_t) { ops().push_back(&op); }

/// Computes an op, or its gradients; those whose dtype is -1 are not wanted. Returns an error's message, or null.
extern "C" const char* call(const char* name, int is_backward, const Tensor* results, size_t result_count, const Tensor* grads,
                            size_t grad_count, const CallArgument* arguments, size_t argument_count) {
  static std::string message;
  try {
    for (const Op* op : ops()) {
      if (std::string_view(op->name) != name) continue;
      run(*op, is_backward != 0, {results, result_count}, {grads, grad_count}, {arguments, argument_count});
      return nullptr;
    }
    message = "the library has no such op";
  } catch (const std::exception& error) {
    message = error.what();
  }
  return message.c_str();
}
