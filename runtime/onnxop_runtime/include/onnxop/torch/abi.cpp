// Looks up PyTorch's C functions.
#include "abi.h"

#include <dlfcn.h>

#include <stdexcept>
#include <string>

namespace onnxop::aten {
namespace {

Functions find() {
  void* const library = dlopen("libtorch_cpu.so", RTLD_NOLOAD | RTLD_LAZY);
  if (library == nullptr) throw std::runtime_error("PyTorch is not loaded: import torch first");
  Functions symbols{};
#define ONNXOP_FIND(name, result, parameters) \
  symbols.name = reinterpret_cast<result(*) parameters>(dlsym(library, #name));
#define ONNXOP_REQUIRE(name, result, parameters)                              \
  ONNXOP_FIND(name, result, parameters)                                       \
  if (symbols.name == nullptr) {                                              \
    throw std::runtime_error("PyTorch is older than 2.10: it has no " #name); \
  }
  ONNXOP_ATEN_FUNCTIONS(ONNXOP_REQUIRE)
  ONNXOP_ATEN_LATER_FUNCTIONS(ONNXOP_FIND)
#if defined(ONNXOP_CUDA)
  // torch has loaded it already; a build of torch without CUDA has none, and its dispatcher never calls these.
  void* const cuda = dlopen("libtorch_cuda.so", RTLD_NOLOAD | RTLD_LAZY);
#define ONNXOP_FIND_CUDA(name, result, parameters) \
  symbols.name = cuda == nullptr ? nullptr : reinterpret_cast<result(*) parameters>(dlsym(cuda, #name));
  ONNXOP_ATEN_CUDA_FUNCTIONS(ONNXOP_FIND_CUDA)
#undef ONNXOP_FIND_CUDA
#endif
#undef ONNXOP_REQUIRE
#undef ONNXOP_FIND
  return symbols;
}

}  // namespace

const Functions& functions() {
  static const Functions symbols = find();
  return symbols;
}

void check(Status status, const char* what) {
  if (status == 0) return;
  const auto why = functions().torch_exception_get_what_without_backtrace;
  throw std::runtime_error(std::string("PyTorch cannot ") + what +
                           (why == nullptr ? "" : std::string(": ") + why()));
}

}  // namespace onnxop::aten
