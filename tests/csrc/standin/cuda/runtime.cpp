// The functions of the CUDA runtime that hosts call, where g++ compiles a library for CUDA.
#include <cstddef>
#include <cstdlib>

struct CUstream_st;

extern "C" int cudaMallocAsync(void** memory, size_t bytes, CUstream_st*) {
  *memory = std::malloc(bytes);
  return 0;
}
extern "C" int cudaFreeAsync(void* memory, CUstream_st*) {
  std::free(memory);
  return 0;
}
