// Rows on a GPU: each is a team's.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "launch.cuh"
#include "team.cuh"

namespace onnxop {
namespace cuda {

inline constexpr int kThreadsAtOnce = 2 * kMostThreads;  // on a multiprocessor

/// Returns the number of threads that share a row: the same for all loops, since sums depend on it.
inline int team_size(int64_t columns) {
  constexpr int64_t kColumns = 16;  // of a thread: four groups of float
  constexpr int kLeast = 8;
  const int64_t threads = (columns + kColumns - 1) / kColumns;
  if (threads >= kMostThreads) return kMostThreads;
  if (threads >= kWarp) return static_cast<int>((threads + kWarp - 1) / kWarp * kWarp);
  return std::max(kLeast, static_cast<int>(std::bit_ceil(static_cast<uint64_t>(threads))));
}

/// Returns the number of teams in a block: one that is larger than a warp has a block of its own, so that it can wait for
/// all threads of the block. Barriers of parts of a block are few: a multiprocessor would run fewer blocks.
inline int teams_of_block(int threads) { return threads > kWarp ? 1 : kThreads / threads; }

/// Returns the team of this thread, in a block of dim3(threads of a team, teams).
__device__ inline Team this_team() {
  return {static_cast<int>(threadIdx.x), static_cast<int>(blockDim.x), static_cast<int>(threadIdx.y)};
}

__device__ inline int64_t first_row() { return static_cast<int64_t>(blockIdx.x) * blockDim.y + threadIdx.y; }

/// Returns the number of teams, which is the distance from a team's row to its next one.
__device__ inline int64_t all_teams() { return static_cast<int64_t>(gridDim.x) * blockDim.y; }

template <typename Row>
__global__ void __launch_bounds__(kMostThreads, kThreadsAtOnce / kMostThreads) rows_kernel(Row row, int64_t rows) {
  const Team team = this_team();
  for (int64_t r = first_row(); r < rows; r += all_teams()) row(team, r);
}

/// Sets each column of a block's part to the sum over its teams, whose sums follow each other.
template <typename T>
__device__ void add_teams(int64_t columns, const T* sums_of_teams, T* part) {
  for (int64_t c = threadIdx.y * blockDim.x + threadIdx.x; c < columns; c += blockDim.x * blockDim.y) {
    T sum = sums_of_teams[c];
    for (int64_t other = 1; other < blockDim.y; ++other) sum += sums_of_teams[other * columns + c];
    part[c] = sum;
  }
}

/// Writes a part for each block: the sums of its rows' columns. With kIsShared, each team adds its rows to sums of
/// its own in shared memory, and the block adds those. Else the block has one team, whose sums are the part.
template <bool kIsShared, typename Row, typename T>
__global__ void __launch_bounds__(kMostThreads, kThreadsAtOnce / kMostThreads) parts_kernel(Row row, int64_t rows, int64_t columns, T* parts) {
  const Team team = this_team();
  T* const part = parts + blockIdx.x * columns;
  T* const sums = kIsShared ? shared_memory<T>() + team.place * columns : part;
  team.fill(columns, sums, [](int64_t) { return T(0); });
  for (int64_t r = first_row(); r < rows; r += all_teams()) row(team, r, sums);
  if (!kIsShared) return;
  __syncthreads();
  add_teams<T>(columns, shared_memory<T>(), part);
}

/// Adds the parts of a column per lane: each warp some, and the first one their sums.
template <typename T, typename Out>
__global__ void __launch_bounds__(kWarp* kWarp) add_parts_kernel(int64_t parts, int64_t columns, const T* sums, Out* out) {
  const int lane = static_cast<int>(threadIdx.x) % kWarp, warp = static_cast<int>(threadIdx.x) / kWarp;
  const int64_t column = static_cast<int64_t>(blockIdx.x) * kWarp + lane;
  T sum = 0;
  if (column < columns) {
#pragma unroll 8
    for (int64_t part = warp; part < parts; part += kWarp) sum += sums[part * columns + column];
  }
  __shared__ T of_warps[kWarp][kWarp];
  of_warps[warp][lane] = sum;
  __syncthreads();
  if (warp != 0 || column >= columns) return;
  T all = 0;
#pragma unroll
  for (int other = 0; other < kWarp; ++other) all += of_warps[other][lane];
  out[column] = store<Out>(all);
}

}  // namespace cuda

/// Calls row(team, r) for each r below `rows`.
template <typename Row>
void for_each_row(int64_t rows, int64_t columns, const cuda::Stream& stream, const Row& row) {
  constexpr int64_t kMostBlocks = 1 << 20;
  const int threads = cuda::team_size(columns), teams = cuda::teams_of_block(threads);
  const int64_t blocks = std::min<int64_t>((rows + teams - 1) / teams, kMostBlocks);
  cuda::launch(cuda::rows_kernel<Row>, {blocks, dim3(threads, teams)}, stream, row, rows);
}

/// Sets out[c] to the sum over rows; row(team, r, sums) adds a row's columns to `sums`. In two kernels: each block sums
/// some of the rows into a part, and then each column of the parts is summed. The order of the additions does not vary.
template <typename T, typename Out, typename Row>
void sum_of_rows(int64_t rows, int64_t columns, Out* out, const cuda::Stream& stream, const Row& row) {
  if (columns == 0) return;
  constexpr int64_t kLeastRows = 4;          // of a team
  constexpr int64_t kMostShared = 40 << 10;  // bytes of a block, which has 48 KiB: team.sum needs some
  const int threads = cuda::team_size(columns);
  const int64_t bytes = columns * static_cast<int64_t>(sizeof(T));
  const bool is_shared = bytes <= kMostShared;
  const int64_t teams = is_shared ? std::min<int64_t>(cuda::teams_of_block(threads), kMostShared / bytes) : 1;
  const int64_t at_once = cuda::multiprocessors() * (cuda::kThreadsAtOnce / (threads * teams));
  const int64_t parts = std::clamp<int64_t>(rows / (teams * kLeastRows), 1, at_once);
  T* const sums = stream.scratch<T>(parts * columns);
  const cuda::Grid grid{parts, dim3(threads, static_cast<unsigned>(teams)), is_shared ? teams * bytes : 0};
  const auto kernel = is_shared ? cuda::parts_kernel<true, Row, T> : cuda::parts_kernel<false, Row, T>;
  cuda::launch(kernel, grid, stream, row, rows, columns, sums);
  const cuda::Grid columns_grid{(columns + cuda::kWarp - 1) / cuda::kWarp, dim3(cuda::kWarp * cuda::kWarp)};
  cuda::launch(cuda::add_parts_kernel<T, Out>, columns_grid, stream, parts, columns, static_cast<const T*>(sums), out);
}

}  // namespace onnxop
