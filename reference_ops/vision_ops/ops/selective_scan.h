// The selective scan of Mamba: one pass over the sequence for kLanes channels at a time. Their states are
// consecutive, so that a step computes in a few registers and no sum crosses lanes. Exponentials limit the
// speed: one for each channel, state and step. The backward pass goes through chunks of steps: the states at
// the start of each chunk are saved, and the states within it are computed again.
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

inline void check_shape(const TensorMeta& tensor, std::initializer_list<Size> expected) {
  const std::vector<Size> sizes(expected);
  check_rank(kName, tensor, sizes.size());
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (tensor.sizes[d] != sizes[d]) {
      fail(kName, ": ", tensor.name, " must have the shape ", to_string(sizes), ", but its shape is ", to_string(tensor.sizes));
    }
  }
}

inline OutputSpec infer(const TensorMeta& u, const TensorMeta& delta, const TensorMeta& A, const TensorMeta& B,
                        const TensorMeta& C, const std::optional<TensorMeta>& D, const std::optional<TensorMeta>& z,
                        const std::optional<TensorMeta>& delta_bias, bool) {
  check_supported<Supported>(kName, u);
  for (const TensorMeta* other : {&delta, &A, &B, &C, D ? &*D : &u, z ? &*z : &u, delta_bias ? &*delta_bias : &u}) {
    check_same_dtype(kName, u, *other);
  }
  check_rank(kName, u, 3);
  check_rank(kName, A, 2);
  const Size batch = u.sizes[0], channels = u.sizes[1], length = u.sizes[2], states = A.sizes[1];
  check_shape(delta, {batch, channels, length});
  check_shape(A, {channels, states});
  check_shape(B, {batch, states, length});
  check_shape(C, {batch, states, length});
  if (D) check_shape(*D, {channels});
  if (z) check_shape(*z, {batch, channels, length});
  if (delta_bias) check_shape(*delta_bias, {channels});
  return {u.dtype, {batch, channels, length}};
}

// ---- A chunk of steps ----

inline constexpr int64_t kSteps = 64;

/// The inputs and results of kLanes channels at some steps; lanes without a channel are zeros.
template <typename T>
struct Chunk {
  int64_t states;
  bool has_D = false;
  using Steps = T[kSteps][kLanes];
  Steps u = {}, raw = {}, delta = {}, z = {}, y = {}, grad = {}, grad_u = {}, grad_delta = {}, grad_z = {};
  T D[kLanes] = {}, bias[kLanes] = {}, grad_D[kLanes] = {}, grad_bias[kLanes] = {};
  std::vector<T> A, x, grad_A, grad_x;           // [state][lane]
  std::vector<T> decay, before, grad_B, grad_C;  // [step][state][lane], for gradients

  Chunk(int64_t states, bool has_gradients) : states(states), A(states * kLanes), x(states * kLanes) {
    if (!has_gradients) return;
    for (auto* kept : {&grad_A, &grad_x}) kept->resize(states * kLanes);
    for (auto* kept : {&decay, &before, &grad_B, &grad_C}) kept->resize(kSteps * states * kLanes);
  }
};

// A loop over lanes that the compiler can vectorise: it does not vectorise a loop that is already unrolled.
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
      VISION_OPS_LANES delta[l] = raw[l] > 20 ? raw[l] : std::log1p(std::exp(raw[l] > 20 ? T(20) : raw[l]));
    } else {
      VISION_OPS_LANES delta[l] = raw[l];
    }
  }
}

/// Computes y = the sum over states of C x, plus D u if there is a D. Updates x, and with kKeeps saves it and its decay.
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
ONNXOP_EACH_CPU void scan_back(int64_t steps, const T* B, const T* C, bool softplus, Chunk<T>& chunk) {
  const int64_t states = chunk.states;
  for (int64_t t = steps - 1; t >= 0; --t) {
    const T *const u = chunk.u[t], *const delta = chunk.delta[t], *const grad = chunk.grad[t], *const raw = chunk.raw[t];
    T fed[kLanes], grad_fed[kLanes], grad_delta[kLanes];
    VISION_OPS_LANES {
      fed[l] = delta[l] * u[l];
      grad_fed[l] = grad_delta[l] = 0;
    }
    for (int64_t n = 0; n < states; ++n) {
      const int64_t place = (t * states + n) * kLanes;
      const T *const A = chunk.A.data() + n * kLanes, *const decay = chunk.decay.data() + place;
      const T* const before = chunk.before.data() + place;
      T *const grad_A = chunk.grad_A.data() + n * kLanes, *const grad_x = chunk.grad_x.data() + n * kLanes;
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
      const T slope = softplus ? 1 / (1 + std::exp(-raw[l])) : T(1);
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

// ---- The operator ----

/// The arguments of a call.
template <typename Element>
struct Inputs {
  using T = Compute<Element>;

  int64_t batch, channels, length, states;
  const Element *u, *delta, *A, *D, *z, *bias;
  bool softplus;
  Buffer<T> B, C;  // [batch, step, state]

  Inputs(const TensorView& u, const TensorView& delta, const TensorView& A, const TensorView& B, const TensorView& C,
         const std::optional<TensorView>& D, const std::optional<TensorView>& z, const std::optional<TensorView>& delta_bias,
         bool softplus)
      : batch(u.sizes[0]), channels(u.sizes[1]), length(u.sizes[2]), states(A.sizes[1]), u(u.data_as<Element>()), delta(delta.data_as<Element>()), A(A.data_as<Element>()), D(data_of(D)), z(data_of(z)), bias(data_of(delta_bias)), softplus(softplus), B(turned(B.data_as<Element>())), C(turned(C.data_as<Element>())) {}

  int64_t tiles() const { return (channels + kLanes - 1) / kLanes; }
  int64_t chunks() const { return (length + kSteps - 1) / kSteps; }
  int64_t lanes(int64_t tile) const { return std::min(kLanes, channels - tile * kLanes); }
  int64_t steps(int64_t chunk) const { return std::min(kSteps, length - chunk * kSteps); }
  int64_t work() const { return 16 * kLanes * length * (states + 4); }
  /// Returns the position of a tile's first channel at a chunk's first step.
  int64_t place(int64_t image, int64_t tile, int64_t chunk) const {
    return (image * channels + tile * kLanes) * length + chunk * kSteps;
  }
  const T* B_at(int64_t image, int64_t chunk) const { return B.get() + (image * length + chunk * kSteps) * states; }
  const T* C_at(int64_t image, int64_t chunk) const { return C.get() + (image * length + chunk * kSteps) * states; }

  /// Reads the inputs of a chunk's steps, as [step][lane].
  void read(const Element* from, int64_t image, int64_t tile, int64_t chunk, T (*to)[kLanes]) const {
    copy(Matrix<const Element>{from + place(image, tile, chunk), steps(chunk), lanes(tile), 1, length}, Matrix<T>{*to, steps(chunk), lanes(tile), kLanes});
  }
  void write(const T (*from)[kLanes], int64_t image, int64_t tile, int64_t chunk, Element* to) const {
    copy(Matrix<const T>{*from, steps(chunk), lanes(tile), kLanes}, Matrix<Element>{to + place(image, tile, chunk), steps(chunk), lanes(tile), 1, length});
  }

  /// Reads the tile's parameters, and sets its first state.
  void begin(int64_t tile, Chunk<T>& to) const {
    std::fill(to.x.begin(), to.x.end(), T(0));
    to.has_D = D != nullptr;
    for (int64_t l = 0; l < lanes(tile); ++l) {
      const int64_t channel = tile * kLanes + l;
      to.D[l] = D == nullptr ? T(0) : load(D[channel]);
      to.bias[l] = bias == nullptr ? T(0) : load(bias[channel]);
      for (int64_t n = 0; n < states; ++n) to.A[n * kLanes + l] = load(A[channel * states + n]);
    }
  }

  template <bool kKeeps>
  void forward(int64_t image, int64_t tile, int64_t chunk, Chunk<T>& to) const {
    read(u, image, tile, chunk, to.u);
    read(delta, image, tile, chunk, to.raw);
    if (z != nullptr) read(z, image, tile, chunk, to.z);
    prepare(steps(chunk), softplus, to);
    scan<kKeeps>(steps(chunk), B_at(image, chunk), C_at(image, chunk), to);
  }

 private:
  static const Element* data_of(const std::optional<TensorView>& tensor) {
    return tensor ? tensor->template data_as<Element>() : nullptr;
  }

  Buffer<T> turned(const Element* from) const {
    Buffer<T> to(batch * length * states);
    for (int64_t image = 0; image < batch; ++image) {
      const int64_t first = image * length * states;
      copy(Matrix<const Element>{from + first, length, states, 1, length}, Matrix<T>{to.get() + first, length, states, states});
    }
    return to;
  }
};

inline void compute(const MutableTensorView& out, const TensorView& u, const TensorView& delta, const TensorView& A,
                    const TensorView& B, const TensorView& C, const std::optional<TensorView>& D,
                    const std::optional<TensorView>& z, const std::optional<TensorView>& delta_bias, bool delta_softplus,
                    const ParallelFor& parallel_for) {
  if (element_count(out.sizes) == 0) return;
  Supported::visit(u.dtype, [&]<typename Element>() {
    const Inputs<Element> inputs(u, delta, A, B, C, D, z, delta_bias, delta_softplus);
    for_each(inputs.batch * inputs.tiles(), inputs.work(), parallel_for, [&](int64_t unit) {
      const int64_t image = unit / inputs.tiles(), tile = unit % inputs.tiles();
      const auto chunk = std::make_unique<Chunk<Compute<Element>>>(inputs.states, false);
      inputs.begin(tile, *chunk);
      for (int64_t c = 0; c < inputs.chunks(); ++c) {
        inputs.template forward<false>(image, tile, c, *chunk);
        if (z) gate(inputs.steps(c), *chunk);
        inputs.write(chunk->y, image, tile, c, out.data_as<Element>());
      }
    });
  });
}

/// Sets to[i] to the sum over parts of from[part][i], for each of `outer`.
template <typename T, typename Element>
void add_parts(int64_t outer, int64_t parts, int64_t count, const T* from, Element* to) {
  for (int64_t i = 0; i < outer * count; ++i) {
    T sum = 0;
    for (int64_t part = 0; part < parts; ++part) sum += from[(i / count * parts + part) * count + i % count];
    to[i] = store<Element>(sum);
  }
}

/// Each task computes some tiles of an image. Sums over tasks are kept apart, and added up in a fixed order.
inline void backward(const std::optional<MutableTensorView>& grad_u, const std::optional<MutableTensorView>& grad_delta,
                     const std::optional<MutableTensorView>& grad_A, const std::optional<MutableTensorView>& grad_B,
                     const std::optional<MutableTensorView>& grad_C, const std::optional<MutableTensorView>& grad_D,
                     const std::optional<MutableTensorView>& grad_z, const std::optional<MutableTensorView>& grad_delta_bias,
                     const TensorView& grad, const TensorView& u, const TensorView& delta, const TensorView& A,
                     const TensorView& B, const TensorView& C, const std::optional<TensorView>& D,
                     const std::optional<TensorView>& z, const std::optional<TensorView>& delta_bias, bool delta_softplus,
                     const ParallelFor& parallel_for) {
  Supported::visit(u.dtype, [&]<typename Element>() {
    using T = Compute<Element>;
    const Inputs<Element> inputs(u, delta, A, B, C, D, z, delta_bias, delta_softplus);
    const int64_t batch = inputs.batch, channels = inputs.channels, length = inputs.length, states = inputs.states;
    const int64_t tiles = inputs.tiles(), parts = std::clamp<int64_t>(tiles, 1, 16), chunks = inputs.chunks();
    std::vector<T> all_B(batch * parts * length * states), all_C(all_B.size()), all_A(batch * channels * states);
    std::vector<T> all_D(batch * channels), all_bias(batch * channels);
    const auto run = [&](int64_t image, int64_t tile, T* sums_B, T* sums_C) {
      const auto chunk = std::make_unique<Chunk<T>>(states, true);
      inputs.begin(tile, *chunk);
      std::vector<T> starts;  // the states at the start of each chunk
      for (int64_t c = 0; c < chunks; ++c) {
        starts.insert(starts.end(), chunk->x.begin(), chunk->x.end());
        if (c + 1 < chunks) inputs.template forward<false>(image, tile, c, *chunk);
      }
      for (int64_t c = chunks; c-- > 0;) {
        const int64_t steps = inputs.steps(c), first = c * kSteps * states;
        std::copy_n(starts.begin() + c * states * kLanes, states * kLanes, chunk->x.begin());
        inputs.template forward<true>(image, tile, c, *chunk);
        inputs.read(grad.data_as<Element>(), image, tile, c, chunk->grad);
        if (z) differentiate_gate(steps, *chunk);
        scan_back(steps, inputs.B_at(image, c), inputs.C_at(image, c), delta_softplus, *chunk);
        if (grad_u) inputs.write(chunk->grad_u, image, tile, c, grad_u->data_as<Element>());
        if (grad_delta) inputs.write(chunk->grad_delta, image, tile, c, grad_delta->data_as<Element>());
        if (grad_z) inputs.write(chunk->grad_z, image, tile, c, grad_z->data_as<Element>());
        run_on_this_cpu<AddLanes>(steps * states, static_cast<const T*>(chunk->grad_B.data()), sums_B + first);
        run_on_this_cpu<AddLanes>(steps * states, static_cast<const T*>(chunk->grad_C.data()), sums_C + first);
      }
      for (int64_t l = 0; l < inputs.lanes(tile); ++l) {
        const int64_t channel = image * channels + tile * kLanes + l;
        all_D[channel] = chunk->grad_D[l];
        all_bias[channel] = chunk->grad_bias[l];
        for (int64_t n = 0; n < states; ++n) all_A[channel * states + n] = chunk->grad_A[n * kLanes + l];
      }
    };
    for_each(batch * parts, 4 * inputs.work() * tiles / parts, parallel_for, [&](int64_t unit) {
      const int64_t image = unit / parts, part = unit % parts;
      for (int64_t tile = tiles * part / parts; tile < tiles * (part + 1) / parts; ++tile) {
        run(image, tile, all_B.data() + unit * length * states, all_C.data() + unit * length * states);
      }
    });
    if (grad_A) add_parts(1, batch, channels * states, all_A.data(), grad_A->data_as<Element>());
    if (grad_B || grad_C) {
      // [batch, part, step, state] to [batch, state, step].
      const auto turn = [&](const std::vector<T>& all, Element* to) {
        std::vector<T> sums(batch * length * states);
        add_parts(batch, parts, length * states, all.data(), sums.data());
        for (int64_t image = 0; image < batch; ++image) {
          const int64_t first = image * length * states;
          copy(Matrix<const T>{sums.data() + first, length, states, states}, Matrix<Element>{to + first, length, states, 1, length});
        }
      };
      if (grad_B) turn(all_B, grad_B->data_as<Element>());
      if (grad_C) turn(all_C, grad_C->data_as<Element>());
    }
    if (grad_D) add_parts(1, batch, channels, all_D.data(), grad_D->data_as<Element>());
    if (grad_delta_bias) add_parts(1, batch, channels, all_bias.data(), grad_delta_bias->data_as<Element>());
  });
}

#undef VISION_OPS_LANES

}  // namespace selective_scan_kernel
