// ONNX Runtime's C API by the slots of its table, for programs without its headers.
#pragma once

#include <dlfcn.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

struct ApiTable {
  using Function = void (*)();
  Function* (*get_api)(uint32_t version);
  const char* (*get_version_string)();

  static Function* functions() {
    static Function* const found =
        reinterpret_cast<const ApiTable* (*)()>(dlsym(RTLD_DEFAULT, "OrtGetApiBase"))()->get_api(17);
    return found;
  }
};

/// Calls a function; ends the program if it fails.
template <typename... Argument>
void call(size_t slot, Argument... arguments) {
  auto* const function = reinterpret_cast<void* (*)(Argument...)>(ApiTable::functions()[slot]);
  if (void* const status = function(arguments...)) {
    auto* const message = reinterpret_cast<const char* (*)(void*)>(ApiTable::functions()[2]);
    std::fprintf(stderr, "%s\n", message(status));
    std::exit(1);
  }
}

inline void release(size_t slot, void* object) {
  reinterpret_cast<void (*)(void*)>(ApiTable::functions()[slot])(object);
}
