// As much of ONNX Runtime's header of this name as our pages' C++ has, with the same names, types and
// order of arguments: programs are compiled with the real one where it is installed.
#pragma once

#include "../c_api.h"

struct OrtEnv;
struct OrtSessionOptions;
struct OrtSession;

namespace Ort {

template <typename T, size_t release_slot>
class Owner {
 public:
  Owner() = default;
  Owner(const Owner&) = delete;
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

struct Session : Owner<OrtSession, 95> {
  explicit Session(const Env& env, const char* path, const SessionOptions& options) {
    call(7, static_cast<OrtEnv*>(env), path, static_cast<OrtSessionOptions*>(options), &object_);
  }
};

}  // namespace Ort
