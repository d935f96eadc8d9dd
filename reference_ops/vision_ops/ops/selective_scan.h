// The selective scan of Mamba: one pass over the sequence for kLanes channels at a time. Their
// states are consecutive, so that a step computes in a few registers and no sum crosses lanes.
// Exponentials limit the speed: one for each channel, state and step. The backward pass goes
// through chunks of steps: the states at the start of each chunk are saved, and the states within
// it are computed again. Everything is computed in the dtype of A, or float32 if that has 16 bits;
// each tensor is read and written in its own dtype. selective_scan_with_state.h shares this file.
#pragma once

#include <onnxop/functions.h>
#include <onnxop/kernel.h>
#include <onnxop/matrix.h>
#include <onnxop/vector.h>

namespace selective_scan_kernel {

using namespace onnxop;

inline constexpr std::string_view kName = "vision_ops::selective_scan";
using Supported = FloatTypes;

// ---- Checks ----

inline int64_t byte_count(Dtype dtype) {
  return dtype == Dtype::float64 ? 8 : dtype == Dtype::float32 ? 4
                                                               : 2;
}

inline void check_shape(std::string_view op, const TensorMeta& tensor,
                        const std::vector<Size>& sizes) {
  check_rank(op, tensor, sizes.size());
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (tensor.sizes[d] != sizes[d]) {
      fail(op, ": ", tensor.name, " must have the shape ", to_string(sizes), ", but its shape is ",
           to_string(tensor.sizes));
    }
  }
}

/// Checks that a tensor's values fit into the dtype of A, in which ONNX computes.
inline void check_dtype(std::string_view op, const TensorMeta& A, const TensorMeta& tensor) {
  check_supported<Supported>(op, tensor);
  if (tensor.dtype != A.dtype && byte_count(tensor.dtype) >= byte_count(A.dtype)) {
    fail(op, ": A is ", name(A.dtype), ", but ", tensor.name, " is ", name(tensor.dtype),
         ": pass A as ", byte_count(tensor.dtype) == 8 ? "float64" : "float32",
         ", because the dtype of A is that of the computation");
  }
}

inline void check(std::string_view op, const TensorMeta& u, const TensorMeta& delta,
                  const TensorMeta& A, const TensorMeta& B, const TensorMeta& C,
                  const std::optional<TensorMeta>& D, const std::optional<TensorMeta>& z,
                  const std::optional<TensorMeta>& delta_bias) {
  check_supported<Supported>(op, A);
  for (const TensorMeta* tensor : {&u, &delta, &B, &C}) check_dtype(op, A, *tensor);
  for (const auto* tensor : {&D, &z, &delta_bias}) {
    if (*tensor) check_dtype(op, A, **tensor);
  }
  check_rank(op, u, 3);
  check_rank(op, A, 2);
  const Size batch = u.sizes[0], channels = u.sizes[1], length = u.sizes[2], states = A.sizes[1];
  check_shape(op, delta, {batch, channels, length});
  check_shape(op, A, {channels, states});
  if (B.rank() == 4) {
    const Size groups = B.sizes[1];
    if (groups < 1)
      fail(op, ": B must have at least one group, but its shape is ", to_string(B.sizes));
    if (channels % groups != 0) {
      fail(op, ": u must have a multiple of ", groups,
           " channels, which is the number of groups of B, but it has ", channels);
    }
    check_shape(op, B, {batch, groups, states, length});
    check_shape(op, C, {batch, groups, states, length});
  } else {
    check_shape(op, B, {batch, states, length});
    check_shape(op, C, {batch, states, length});
  }
  if (D) check_shape(op, *D, {channels});
  if (z) check_shape(op, *z, {batch, channels, length});
  if (delta_bias) check_shape(op, *delta_bias, {channels});
}

inline OutputSpec infer(const TensorMeta& u, const TensorMeta& delta, const TensorMeta& A,
                        const TensorMeta& B, const TensorMeta& C,
                        const std::optional<TensorMeta>& D, const std::optional<TensorMeta>& z,
                        const std::optional<TensorMeta>& delta_bias, bool) {
  check(kName, u, delta, A, B, C, D, z, delta_bias);
  return {u.dtype, {u.sizes.begin(), u.sizes.end()}};
}

// ---- A chunk of steps ----

inline constexpr int64_t kSteps = 64;

/// The inputs and results of kLanes channels at some steps; lanes without a channel are zeros.
template <typename T>
struct Chunk {
  int64_t states;
  bool has_D = false;
  using Steps = T[kSteps][kLanes];
  Steps u = {}, raw = {}, delta = {}, z = {}, y = {}, grad = {}, grad_u = {}, grad_delta = {},
        grad_z = {};
  T D[kLanes] = {}, bias[kLanes] = {}, grad_D[kLanes] = {}, grad_bias[kLanes] = {};
  std::vector<T> A, x, grad_A, grad_x;           // [state][lane]
  std::vector<T> decay, before, grad_B, grad_C;  // [step][state][lane], for gradients

  Chunk(int64_t states, bool has_gradients)
      : states(states), A(states * kLanes), x(states * kLanes) {
    if (!has_gradients) return;
    for (auto* kept : {&grad_A, &grad_x}) kept->resize(states * kLanes);
    for (auto* kept : {&decay, &before, &grad_B, &grad_C}) kept->resize(kSteps * states * kLanes);
  }
};

// A loop over lanes that the compiler can vectorise: it does not vectorise a loop that is already
// unrolled.
#define VISION_OPS_LANES \
  _Pragma("GCC ivdep") _Pragma("GCC unroll 1") for (int64_t l = 0; l < kLanes; ++l)

/// Computes delta = softplus(raw + bias); the bias and softplus are optional.
template <typename T>
ONNXOP_EACH_CPU void prepare(int64_t steps, bool softplus, Chunk<T>& chunk) {
  for (int64_t t = 0; t < steps; ++t) {
    T* const raw = chunk.raw[t];
    T* const delta = chunk.delta[t];
    VISION_OPS_LANES raw[l] += chunk.bias[l];
    if (softplus) {
      VISION_OPS_LANES delta[l] =
          raw[l] > 20 ? raw[l] : std::log1p(std::exp(raw[l] > 20 ? T(20) : raw[l]));
    } else {
      VISION_OPS_LANES delta[l] = raw[l];
    }
  }
}

/// Computes y = the sum over states of C x, plus D u if there is a D. Updates x, and with kKeeps
/// saves it and its decay.
template <bool kKeeps, typename T>
ONNXOP_EACH_CPU void scan(int64_t steps, const T* B, const T* C, Chunk<T>& chunk) {
  const int64_t states = chunk.states;
  for (int64_t t = 0; t < steps; ++t) {
    const T* const u = chunk.u[t];
    const T* const delta = chunk.delta[t];
    T sums[kLanes], fed[kLanes];
    VISION_OPS_LANES {
      fed[l] = delta[l] * u[l];
      sums[l] = 0;
    }
    for (int64_t n = 0; n < states; ++n) {
      const T* const A = chunk.A.data() + n * kLanes;
      T* const x = chunk.x.data() + n * kLanes;
      const T b = B[t * states + n], c = C[t * states + n];
      T decay[kLanes];
      VISION_OPS_LANES decay[l] = std::exp(delta[l] * A[l]);
      if constexpr (kKeeps) {
        std::memcpy(chunk.before.data() + (t * states + n) * kLanes, x, sizeof(decay));
        std::memcpy(chunk.decay.data() + (t * states + n) * kLanes, decay, sizeof(decay));
      }
      VISION_OPS_LANES {
        x[l] = decay[l] * x[l] + fed[l] * b;
        sums[l] += x[l] * c;
      }
    }
    VISION_OPS_LANES chunk.y[t][l] = sums[l];
    if (chunk.has_D) {
      VISION_OPS_LANES chunk.y[t][l] += chunk.D[l] * u[l];
    }
  }
}

/// Multiplies y by silu(z).
template <typename T>
ONNXOP_EACH_CPU void gate(int64_t steps, Chunk<T>& chunk) {
  for (int64_t t = 0; t < steps; ++t) {
    T* const y = chunk.y[t];
    const T* const z = chunk.z[t];
    VISION_OPS_LANES y[l] *= z[l] / (1 + std::exp(-z[l]));
  }
}

/// Computes the gradients of y and z from the gradient of y * silu(z).
template <typename T>
ONNXOP_EACH_CPU void differentiate_gate(int64_t steps, Chunk<T>& chunk) {
  for (int64_t t = 0; t < steps; ++t) {
    const T *const y = chunk.y[t], *const z = chunk.z[t];
    T *const grad = chunk.grad[t], *const grad_z = chunk.grad_z[t];
    VISION_OPS_LANES {
      const T sigmoid = 1 / (1 + std::exp(-z[l]));
      grad_z[l] = grad[l] * y[l] * (sigmoid * (1 + z[l] * (1 - sigmoid)));
      grad[l] *= z[l] * sigmoid;
    }
  }
}

/// Differentiates `scan`, from the last step to the first.
template <typename T>
ONNXOP_EACH_CPU void scan_back(int64_t steps, const T* B, const T* C, bool softplus,
                               Chunk<T>& chunk) {
  const int64_t states = chunk.states;
  for (int64_t t = steps - 1; t >= 0; --t) {
    const T *const u = chunk.u[t], *const delta = chunk.delta[t], *const grad = chunk.grad[t],
                   *const raw = chunk.raw[t];
    T fed[kLanes], grad_fed[kLanes], grad_delta[kLanes];
    VISION_OPS_LANES {
      fed[l] = delta[l] * u[l];
      grad_fed[l] = grad_delta[l] = 0;
    }
    for (int64_t n = 0; n < states; ++n) {
      const int64_t place = (t * states + n) * kLanes;
      const T *const A = chunk.A.data() + n * kLanes, *const decay = chunk.decay.data() + place;
      const T* const before = chunk.before.data() + place;
      T *const grad_A = chunk.grad_A.data() + n * kLanes, *const grad_x =
                                                              chunk.grad_x.data() + n * kLanes;
      T *const grad_B = chunk.grad_B.data() + place, *const grad_C = chunk.grad_C.data() + place;
      const T b = B[t * states + n], c = C[t * states + n];
      VISION_OPS_LANES {
        const T of_x = grad_x[l] + grad[l] * c;
        const T of_power = of_x * before[l] * decay[l];
        grad_C[l] = grad[l] * (decay[l] * before[l] + fed[l] * b);
        grad_B[l] = of_x * fed[l];
        grad_A[l] += of_power * delta[l];
        grad_delta[l] += of_power * A[l];
        grad_fed[l] += of_x * b;
        grad_x[l] = of_x * decay[l];
      }
    }
    VISION_OPS_LANES {
      // Above 20, softplus returns its argument.
      const T slope = softplus && raw[l] <= 20 ? 1 / (1 + std::exp(-raw[l])) : T(1);
      const T of_delta = (grad_delta[l] + grad_fed[l] * u[l]) * slope;
      chunk.grad_u[t][l] = grad_fed[l] * delta[l];
      chunk.grad_delta[t][l] = of_delta;
      chunk.grad_D[l] += grad[l] * u[l];
      chunk.grad_bias[l] += of_delta;
    }
    if (chunk.has_D) {
      VISION_OPS_LANES chunk.grad_u[t][l] += grad[l] * chunk.D[l];
    }
  }
}

/// Adds the sum of each kLanes elements to sums[i].
struct AddLanes {
  template <int64_t kBytes, typename T>
  ONNXOP_INLINE static void run(int64_t count, const T* from, T* sums) {
    for (int64_t i = 0; i < count; ++i) sums[i] += Lanes<T, kBytes>(from + i * kLanes).sum();
  }
};

// ---- A call ----

/// A tensor's elements of kLanes channels at some steps: [step][lane] in memory of ours,
/// [lane][step] in the tensor's.
template <typename T>
void read(const TensorView& from, int64_t first, int64_t steps, int64_t lanes, T (*to)[kLanes]) {
  Supported::visit(from.dtype, [&]<typename Element>() {
    const int64_t length = from.sizes.back();
    copy(Matrix<const Element>{from.data_as<Element>() + first, steps, lanes, 1, length},
         Matrix<T>{*to, steps, lanes, kLanes});
  });
}

template <typename T>
void write(const T (*from)[kLanes], int64_t first, int64_t steps, int64_t lanes,
           const MutableTensorView& to) {
  Supported::visit(to.dtype, [&]<typename Element>() {
    const int64_t length = to.sizes.back();
    copy(Matrix<const T>{*from, steps, lanes, kLanes},
         Matrix<Element>{to.data_as<Element>() + first, steps, lanes, 1, length});
  });
}

/// Copies the states of some channels: [state][lane] in memory of ours, [lane][state] in the
/// tensor.
template <typename T>
void read_states(const TensorView& from, int64_t first, int64_t states, int64_t lanes, T* to) {
  Supported::visit(from.dtype, [&]<typename Element>() {
    copy(Matrix<const Element>{from.data_as<Element>() + first, states, lanes, 1, states},
         Matrix<T>{to, states, lanes, kLanes});
  });
}

template <typename T>
void write_states(const T* from, int64_t first, int64_t states, int64_t lanes,
                  const MutableTensorView& to) {
  Supported::visit(to.dtype, [&]<typename Element>() {
    copy(Matrix<const T>{from, states, lanes, kLanes},
         Matrix<Element>{to.data_as<Element>() + first, states, lanes, 1, states});
  });
}

/// The tensors of a call.
struct Arguments {
  const TensorView &u, &delta, &A, &B, &C;
  const std::optional<TensorView>&D, &z, &bias;
  bool softplus;
  std::optional<TensorView> initial_state = std::nullopt;
};

/// A call that computes in T. The channels of an image that share B and C are a group; a tile is
/// kLanes channels of it.
template <typename T>
struct Scan {
  const Arguments& given;
  int64_t groups, images, channels, length,
      states;      // images are groups of images, channels those of a group
  Buffer<T> B, C;  // [image, step, state]

  explicit Scan(const Arguments& given)
      : given(given),
        groups(given.B.rank() == 4 ? given.B.sizes[1] : 1),
        images(given.u.sizes[0] * groups),
        channels(given.u.sizes[1] / groups),
        length(given.u.sizes[2]),
        states(given.A.sizes[1]),
        B(turned(given.B)),
        C(turned(given.C)) {}

  int64_t tiles() const { return (channels + kLanes - 1) / kLanes; }
  int64_t chunks() const { return (length + kSteps - 1) / kSteps; }
  int64_t lanes(int64_t tile) const { return std::min(kLanes, channels - tile * kLanes); }
  int64_t steps(int64_t chunk) const { return std::min(kSteps, length - chunk * kSteps); }
  int64_t work() const { return 16 * kLanes * length * (states + 4); }
  /// Returns the number of a tile's first channel among those of all images.
  int64_t channel(int64_t image, int64_t tile) const { return image * channels + tile * kLanes; }
  const T* B_at(int64_t image, int64_t chunk) const {
    return B.get() + (image * length + chunk * kSteps) * states;
  }
  const T* C_at(int64_t image, int64_t chunk) const {
    return C.get() + (image * length + chunk * kSteps) * states;
  }

  void read_chunk(const TensorView& from, int64_t image, int64_t tile, int64_t chunk,
                  T (*to)[kLanes]) const {
    read(from, channel(image, tile) * length + chunk * kSteps, steps(chunk), lanes(tile), to);
  }
  void write_chunk(const T (*from)[kLanes], int64_t image, int64_t tile, int64_t chunk,
                   const MutableTensorView& to) const {
    write(from, channel(image, tile) * length + chunk * kSteps, steps(chunk), lanes(tile), to);
  }

  /// Reads the tile's parameters, and sets its first state.
  void begin(int64_t image, int64_t tile, Chunk<T>& to) const {
    const int64_t first = channel(image % groups, tile), count = lanes(tile);
    to.has_D = given.D.has_value();
    if (given.D) read_states(*given.D, first, 1, count, to.D);
    if (given.bias) read_states(*given.bias, first, 1, count, to.bias);
    read_states(given.A, first * states, states, count, to.A.data());
    std::fill(to.x.begin(), to.x.end(), T(0));
    if (given.initial_state)
      read_states(*given.initial_state, channel(image, tile) * states, states, count, to.x.data());
  }

  template <bool kKeeps>
  void forward(int64_t image, int64_t tile, int64_t chunk, Chunk<T>& to) const {
    read_chunk(given.u, image, tile, chunk, to.u);
    read_chunk(given.delta, image, tile, chunk, to.raw);
    if (given.z) read_chunk(*given.z, image, tile, chunk, to.z);
    prepare(steps(chunk), given.softplus, to);
    scan<kKeeps>(steps(chunk), B_at(image, chunk), C_at(image, chunk), to);
  }

 private:
  Buffer<T> turned(const TensorView& from) const {
    Buffer<T> to(images * length * states);
    Supported::visit(from.dtype, [&]<typename Element>() {
      for (int64_t image = 0; image < images; ++image) {
        const int64_t first = image * length * states;
        copy(Matrix<const Element>{from.data_as<Element>() + first, length, states, 1, length},
             Matrix<T>{to.get() + first, length, states, states});
      }
    });
    return to;
  }
};

/// Calls `visitor.operator()<T>()` for the type in which a call computes.
template <typename Visitor>
void visit_compute_type(const Arguments& given, const Visitor& visitor) {
  Types<float, double>::visit(given.A.dtype == Dtype::float64 ? Dtype::float64 : Dtype::float32,
                              visitor);
}

inline void run(const MutableTensorView& out, const std::optional<MutableTensorView>& last_state,
                const Arguments& given, const ParallelFor& parallel_for) {
  visit_compute_type(given, [&]<typename T>() {
    const Scan<T> call(given);
    for_each(call.images * call.tiles(), call.work(), parallel_for, [&](int64_t unit) {
      const int64_t image = unit / call.tiles(), tile = unit % call.tiles();
      const auto chunk = std::make_unique<Chunk<T>>(call.states, false);
      call.begin(image, tile, *chunk);
      for (int64_t c = 0; c < call.chunks(); ++c) {
        call.template forward<false>(image, tile, c, *chunk);
        if (given.z) gate(call.steps(c), *chunk);
        call.write_chunk(chunk->y, image, tile, c, out);
      }
      if (last_state)
        write_states(chunk->x.data(), call.channel(image, tile) * call.states, call.states,
                     call.lanes(tile), *last_state);
    });
  });
}

// ---- Gradients ----

/// The requested gradients of a call.
struct Gradients {
  const std::optional<MutableTensorView>&u, &delta, &A, &B, &C, &D, &z, &bias;
  std::optional<MutableTensorView> initial_state = std::nullopt;
};

/// Sums of gradients, each over the channels of a task or over an image's steps; they are added up
/// in a fixed order.
template <typename T>
struct Sums {
  std::vector<T> B, C;        // [image, part, step, state]
  std::vector<T> A, D, bias;  // [image, channel, ...]

  Sums(const Scan<T>& call, int64_t parts)
      : B(call.images * parts * call.length * call.states),
        C(B.size()),
        A(call.images * call.channels * call.states),
        D(call.images * call.channels),
        bias(D.size()) {}
};

/// Computes the gradients of a tile, from the last step to the first.
template <typename T>
void differentiate_tile(const Scan<T>& call, const Gradients& wanted, const TensorView& grad,
                        const std::optional<TensorView>& grad_state, int64_t image, int64_t tile,
                        T* sums_B, T* sums_C, Sums<T>& sums) {
  const int64_t states = call.states, chunks = call.chunks(), lanes = call.lanes(tile);
  const int64_t first_channel = call.channel(image, tile);
  const auto chunk = std::make_unique<Chunk<T>>(states, true);
  call.begin(image, tile, *chunk);
  std::vector<T> starts;  // the states at the start of each chunk
  for (int64_t c = 0; c < chunks; ++c) {
    starts.insert(starts.end(), chunk->x.begin(), chunk->x.end());
    if (c + 1 < chunks) call.template forward<false>(image, tile, c, *chunk);
  }
  if (grad_state)
    read_states(*grad_state, first_channel * states, states, lanes, chunk->grad_x.data());
  for (int64_t c = chunks; c-- > 0;) {
    const int64_t steps = call.steps(c), first = c * kSteps * states;
    std::copy_n(starts.begin() + c * states * kLanes, states * kLanes, chunk->x.begin());
    call.template forward<true>(image, tile, c, *chunk);
    call.read_chunk(grad, image, tile, c, chunk->grad);
    if (call.given.z) differentiate_gate(steps, *chunk);
    scan_back(steps, call.B_at(image, c), call.C_at(image, c), call.given.softplus, *chunk);
    if (wanted.u) call.write_chunk(chunk->grad_u, image, tile, c, *wanted.u);
    if (wanted.delta) call.write_chunk(chunk->grad_delta, image, tile, c, *wanted.delta);
    if (wanted.z) call.write_chunk(chunk->grad_z, image, tile, c, *wanted.z);
    run_on_this_cpu<AddLanes>(steps * states, static_cast<const T*>(chunk->grad_B.data()),
                              sums_B + first);
    run_on_this_cpu<AddLanes>(steps * states, static_cast<const T*>(chunk->grad_C.data()),
                              sums_C + first);
  }
  if (wanted.initial_state)
    write_states(chunk->grad_x.data(), first_channel * states, states, lanes,
                 *wanted.initial_state);
  for (int64_t l = 0; l < lanes; ++l) {
    const int64_t channel = first_channel + l;
    sums.D[channel] = chunk->grad_D[l];
    sums.bias[channel] = chunk->grad_bias[l];
    for (int64_t n = 0; n < states; ++n)
      sums.A[channel * states + n] = chunk->grad_A[n * kLanes + l];
  }
}

/// Sets to[i] to the sum over parts of from[part][i], for each of `outer`.
template <typename T, typename Element>
void add_parts(int64_t outer, int64_t parts, int64_t count, const T* from, Element* to) {
  for (int64_t i = 0; i < outer * count; ++i) {
    T sum = 0;
    for (int64_t part = 0; part < parts; ++part)
      sum += from[(i / count * parts + part) * count + i % count];
    to[i] = store<Element>(static_cast<Compute<Element>>(sum));
  }
}

/// Writes sums over images, [image, i].
template <typename T>
void write_sums(const std::vector<T>& sums, int64_t images,
                const std::optional<MutableTensorView>& to) {
  if (!to) return;
  Supported::visit(to->dtype, [&]<typename Element>() {
    add_parts(1, images, element_count(to->sizes), sums.data(), to->data_as<Element>());
  });
}

/// Writes sums of parts, [image, part, step, state], as [image, state, step].
template <typename T>
void write_turned(const Scan<T>& call, const std::vector<T>& sums, int64_t parts,
                  const std::optional<MutableTensorView>& to) {
  if (!to) return;
  const int64_t length = call.length, states = call.states;
  std::vector<T> added(call.images * length * states);
  add_parts(call.images, parts, length * states, sums.data(), added.data());
  Supported::visit(to->dtype, [&]<typename Element>() {
    for (int64_t image = 0; image < call.images; ++image) {
      const int64_t first = image * length * states;
      copy(Matrix<const T>{added.data() + first, length, states, states},
           Matrix<Element>{to->data_as<Element>() + first, length, states, 1, length});
    }
  });
}

/// Each task computes some tiles of an image. Sums over tasks are kept apart.
inline void differentiate(const Gradients& wanted, const TensorView& grad,
                          const std::optional<TensorView>& grad_state, const Arguments& given,
                          const ParallelFor& parallel_for) {
  visit_compute_type(given, [&]<typename T>() {
    const Scan<T> call(given);
    const int64_t tiles = call.tiles(), parts = std::clamp<int64_t>(tiles, 1, 16),
                  each = call.length * call.states;
    Sums<T> sums(call, parts);
    for_each(call.images * parts, 4 * call.work() * tiles / parts, parallel_for, [&](int64_t unit) {
      const int64_t image = unit / parts, part = unit % parts;
      for (int64_t tile = tiles * part / parts; tile < tiles * (part + 1) / parts; ++tile) {
        differentiate_tile(call, wanted, grad, grad_state, image, tile, sums.B.data() + unit * each,
                           sums.C.data() + unit * each, sums);
      }
    });
    const int64_t batch = given.u.sizes[0];
    write_sums(sums.A, batch, wanted.A);
    write_sums(sums.D, batch, wanted.D);
    write_sums(sums.bias, batch, wanted.bias);
    write_turned(call, sums.B, parts, wanted.B);
    write_turned(call, sums.C, parts, wanted.C);
  });
}

// ---- The operator ----

inline void compute(const MutableTensorView& out, const TensorView& u, const TensorView& delta,
                    const TensorView& A, const TensorView& B, const TensorView& C,
                    const std::optional<TensorView>& D, const std::optional<TensorView>& z,
                    const std::optional<TensorView>& delta_bias, bool delta_softplus,
                    const ParallelFor& parallel_for) {
  run(out, std::nullopt, {u, delta, A, B, C, D, z, delta_bias, delta_softplus}, parallel_for);
}

inline void backward(const std::optional<MutableTensorView>& grad_u,
                     const std::optional<MutableTensorView>& grad_delta,
                     const std::optional<MutableTensorView>& grad_A,
                     const std::optional<MutableTensorView>& grad_B,
                     const std::optional<MutableTensorView>& grad_C,
                     const std::optional<MutableTensorView>& grad_D,
                     const std::optional<MutableTensorView>& grad_z,
                     const std::optional<MutableTensorView>& grad_delta_bias,
                     const TensorView& grad, const TensorView& u, const TensorView& delta,
                     const TensorView& A, const TensorView& B, const TensorView& C,
                     const std::optional<TensorView>& D, const std::optional<TensorView>& z,
                     const std::optional<TensorView>& delta_bias, bool delta_softplus,
                     const ParallelFor& parallel_for) {
  const Gradients wanted{grad_u, grad_delta, grad_A, grad_B,
                         grad_C, grad_D, grad_z, grad_delta_bias};
  differentiate(wanted, grad, std::nullopt, {u, delta, A, B, C, D, z, delta_bias, delta_softplus},
                parallel_for);
}

#undef VISION_OPS_LANES

}  // namespace selective_scan_kernel
