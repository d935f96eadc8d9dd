// A program that runs a model with a library of custom ops by ONNX Runtime's C API, of which it declares
// what it calls: host MODEL LIBRARY prints the result of a = 1 and b = 0.5, of shapes [2, 3].
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

using Function = void (*)();

struct ApiBase {
  Function* (*get_api)(uint32_t version);
  const char* (*get_version_string)();
};

extern "C" const ApiBase* OrtGetApiBase();

namespace {

Function* api;

template <typename... Argument>
void call(size_t slot, Argument... arguments) {
  if (void* const status = reinterpret_cast<void* (*)(Argument...)>(api[slot])(arguments...)) {
    std::fprintf(stderr, "%s\n", reinterpret_cast<const char* (*)(void*)>(api[2])(status));
    std::exit(1);
  }
}

void release(size_t slot, void* object) { reinterpret_cast<void (*)(void*)>(api[slot])(object); }

}  // namespace

int main(int, char** arguments) {
  api = OrtGetApiBase()->get_api(17);
  void *env, *options, *library, *session, *memory;
  call(3, 3, "host", &env);
  call(10, &options);
  call(29, options, static_cast<const char*>(arguments[2]), &library);
  call(7, env, static_cast<const char*>(arguments[1]), options, &session);
  call(69, 0, 0, &memory);

  std::array<float, 6> a, b;
  a.fill(1.0f);
  b.fill(0.5f);
  const std::array<int64_t, 2> sizes{2, 3};
  std::array<void*, 2> inputs{};
  call(49, memory, a.data(), sizeof a, sizes.data(), sizes.size(), 1, &inputs[0]);
  call(49, memory, b.data(), sizeof b, sizes.data(), sizes.size(), 1, &inputs[1]);

  void* allocator;
  call(78, &allocator);
  char* name;
  call(37, session, size_t{0}, allocator, &name);
  const std::array<const char*, 2> names{"a", "b"};
  const std::array<const char*, 1> outputs{name};
  void* result = nullptr;
  call(9, session, static_cast<void*>(nullptr), names.data(), inputs.data(), inputs.size(),
       outputs.data(), outputs.size(), &result);
  float* values;
  call(51, result, reinterpret_cast<void**>(&values));
  for (size_t i = 0; i < a.size(); ++i) std::printf("%g ", values[i]);

  call(76, allocator, static_cast<void*>(name));
  for (void* const value : {inputs[0], inputs[1], result}) release(96, value);
  release(94, memory);
  release(95, session);
  release(100, options);
  release(92, env);
}
