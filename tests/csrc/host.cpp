// A program that runs a model with libraries of custom ops: it makes its session by the C++ of a page, and
// prints the result of a = 1 and b = 0.5, of shapes [2, 3], by the C API.
#include <onnxruntime_cxx_api.h>

#include <array>

#include "c_api.h"

int main() {
#include SNIPPET

  OrtSession* const made = session;
#ifndef ONLY_MAKES_THE_SESSION
  std::array<float, 6> a, b;
  a.fill(1.0f);
  b.fill(0.5f);
  const std::array<int64_t, 2> sizes{2, 3};
  void* memory;
  call(69, 0, 0, &memory);
  std::array<void*, 2> inputs{};
  call(49, memory, a.data(), sizeof a, sizes.data(), sizes.size(), 1, &inputs[0]);
  call(49, memory, b.data(), sizeof b, sizes.data(), sizes.size(), 1, &inputs[1]);

  void* allocator;
  call(78, &allocator);
  char* name;
  call(37, made, size_t{0}, allocator, &name);
  const std::array<const char*, 2> names{"a", "b"};
  const std::array<const char*, 1> outputs{name};
  void* result = nullptr;
  call(9, made, static_cast<void*>(nullptr), names.data(), inputs.data(), inputs.size(),
       outputs.data(), outputs.size(), &result);
  float* values;
  call(51, result, reinterpret_cast<void**>(&values));
  for (size_t i = 0; i < a.size(); ++i) std::printf("%g ", values[i]);

  call(76, allocator, static_cast<void*>(name));
  for (void* const value : {inputs[0], inputs[1], result}) release(96, value);
  release(94, memory);
#else
  return made == nullptr;
#endif
}
