// A host's threads, whoever it is.
#pragma once

#include <cstdint>
#include <type_traits>

namespace onnxop {

/// `parallel_for(count, grain, body)` calls `body(begin, end)` on ranges that cover 0 to count, each
/// of at least `grain` steps, on all threads of the host.
class ParallelFor {
 public:
  ParallelFor() = default;
  ParallelFor(const ParallelFor&) = delete;
  ParallelFor& operator=(const ParallelFor&) = delete;

  template <typename Body>
  void operator()(int64_t count, int64_t grain, const Body& body) const {
    run(count, grain, Range(body));
  }

 protected:
  /// A reference to `body`.
  class Range {
   public:
    template <typename Body>
    explicit Range(const Body& body)
        : body_(&body), call_([](const void* body, int64_t begin, int64_t end) {
            (*static_cast<const Body*>(body))(begin, end);
          }) {}

    void operator()(int64_t begin, int64_t end) const { call_(body_, begin, end); }

   private:
    const void* body_;
    void (*call_)(const void* body, int64_t begin, int64_t end);
  };

  ~ParallelFor() = default;

  virtual void run(int64_t count, int64_t grain, const Range& body) const = 0;
};

}  // namespace onnxop
