// The part of ONNX Runtime's header of this name that the C++ of our pages uses, with the same names, types
// and order of arguments. If the real header is installed, programs are compiled with that.
#pragma once

#include <type_traits>
#include <utility>
#include <vector>

#include "../c_api.h"

enum OrtAllocatorType { OrtArenaAllocator = 1 };
enum OrtMemType { OrtMemTypeDefault = 0 };
struct OrtEnv;
struct OrtMemoryInfo;
struct OrtRunOptions;
struct OrtSessionOptions;
struct OrtSession;
struct OrtValue;

extern "C" const ApiTable* OrtGetApiBase();
// With the real header, a program needs the library; so the linker must keep it here, too.
[[gnu::used]] inline auto* const kLinked = &OrtGetApiBase;

namespace Ort {

template <typename T, size_t release_slot>
class Owner {
 public:
  Owner() = default;
  Owner(const Owner&) = delete;
  Owner(Owner&& other) : object_(std::exchange(other.object_, nullptr)) {}
  ~Owner() { release(release_slot, object_); }

  operator T*() const { return object_; }

 protected:
  T* object_ = nullptr;
};

struct Env : Owner<OrtEnv, 92> {
  Env() { call(3, 2, "", &object_); }
};

struct SessionOptions : Owner<OrtSessionOptions, 100> {
  SessionOptions() { call(10, &object_); }

  SessionOptions& AddConfigEntry(const char* key, const char* value) {
    call(130, object_, key, value);
    return *this;
  }

  SessionOptions& RegisterCustomOpsLibrary(const char* name) {
    call(228, object_, name);
    return *this;
  }
};

struct MemoryInfo : Owner<OrtMemoryInfo, 94> {
  static MemoryInfo CreateCpu(OrtAllocatorType allocator, OrtMemType memory) {
    MemoryInfo made;
    call(69, allocator, memory, &made.object_);
    return made;
  }
};

struct Value : Owner<OrtValue, 96> {
  template <typename T>
  static Value CreateTensor(const OrtMemoryInfo* memory, T* data, size_t count,
                            const int64_t* shape, size_t rank) {
    static_assert(std::is_same_v<T, float>);
    Value made;
    call(49, memory, data, count * sizeof(T), shape, rank, 1, &made.object_);
    return made;
  }

  template <typename T>
  T* GetTensorMutableData() {
    T* data = nullptr;
    call(51, object_, &data);
    return data;
  }

 private:
  friend struct Session;
};

struct RunOptions {
  explicit RunOptions(std::nullptr_t) {}
};

struct Session : Owner<OrtSession, 95> {
  explicit Session(const Env& env, const char* path, const SessionOptions& options) {
    call(7, static_cast<OrtEnv*>(env), path, static_cast<OrtSessionOptions*>(options), &object_);
  }

  std::vector<Value> Run(const RunOptions&, const char* const* input_names, const Value* inputs,
                         size_t input_count, const char* const* output_names,
                         size_t output_count) {
    std::vector<OrtValue*> from(inputs, inputs + input_count);
    std::vector<OrtValue*> to(output_count);
    call(9, object_, static_cast<OrtRunOptions*>(nullptr), input_names, from.data(), from.size(),
         output_names, to.size(), to.data());
    std::vector<Value> made(output_count);
    for (size_t i = 0; i < output_count; ++i) made[i].object_ = to[i];
    return made;
  }
};

}  // namespace Ort
