// The threads of a host, the same for each host.
#pragma once

#include <algorithm>
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

/// Ranges of similar length that cover 0 to count, each of at least `grain` steps: 8 to 16 per thread if
/// there are as many, so that all threads are busy to the end and none gets half as much again.
struct Chunks {
  Chunks(int64_t count, int64_t grain, int64_t threads)
      : count(count), size(count / std::max<int64_t>(1, grain)) {
    if (size > 16 * threads) size = 8 * threads;
  }

  int64_t begin(int64_t chunk) const { return count / size * chunk + std::min(chunk, count % size); }

  int64_t count, size;
};

/// Runs on the calling thread only, for work inside of parallel work.
class ThisThread final : public ParallelFor {
 protected:
  void run(int64_t count, int64_t, const Range& body) const override {
    if (count > 0) body(0, count);
  }
};

/// Calls `body(i)` for each i below `count`, on all threads of the host. `work` is the cost of a call in
/// multiplications, which determines the number of threads.
template <typename Body>
void for_each(int64_t count, int64_t work, const ParallelFor& parallel_for, const Body& body) {
  constexpr int64_t kWork = 65536;
  const int64_t grain = std::max<int64_t>(1, kWork / std::max<int64_t>(1, work));
  parallel_for(count, grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) body(i);
  });
}

}  // namespace onnxop
