// The C functions of PyTorch that an operator needs. No header of PyTorch is used and no library linked, so
// that a build needs no PyTorch, and one binary works with every release from 2.10 on.
//
// They are the C part of libtorch's stable ABI, which later releases keep. They are looked up by name in the
// libtorch of the process.
#pragma once

#include <cstddef>
#include <cstdint>

namespace onnxop::aten {

static_assert(sizeof(void*) == 8, "values travel in words of 64 bits");

/// The release whose conventions the operators follow, as in its TORCH_ABI_VERSION.
inline constexpr uint64_t kVersion = 0x020A'0000'0000'0000;

// ---- Objects of libtorch, always behind pointers ----

struct TensorObject;
struct Library;
struct List;
struct String;

/// An argument or a result: a number, or a pointer to the object that holds it. An optional one is a
/// pointer to such a word, or null.
using Word = uint64_t;

/// 0 for success.
using Status = int32_t;

using Kernel = void (*)(Word* stack, uint64_t inputs, uint64_t outputs);

// ---- The functions ----

// One `function(name, result, parameters)` each.
// clang-format off
#define ONNXOP_ATEN_FUNCTIONS(function)                                                              \
  function(aoti_torch_dtype_float32, int32_t, ())                                                    \
  function(aoti_torch_dtype_float64, int32_t, ())                                                    \
  function(aoti_torch_dtype_float16, int32_t, ())                                                    \
  function(aoti_torch_dtype_bfloat16, int32_t, ())                                                   \
  function(aoti_torch_dtype_uint8, int32_t, ())                                                      \
  function(aoti_torch_dtype_uint16, int32_t, ())                                                     \
  function(aoti_torch_dtype_uint32, int32_t, ())                                                     \
  function(aoti_torch_dtype_uint64, int32_t, ())                                                     \
  function(aoti_torch_dtype_int8, int32_t, ())                                                       \
  function(aoti_torch_dtype_int16, int32_t, ())                                                      \
  function(aoti_torch_dtype_int32, int32_t, ())                                                      \
  function(aoti_torch_dtype_int64, int32_t, ())                                                      \
  function(aoti_torch_dtype_bool, int32_t, ())                                                       \
  function(aoti_torch_dtype_complex64, int32_t, ())                                                  \
  function(aoti_torch_dtype_complex128, int32_t, ())                                                 \
  function(aoti_torch_layout_strided, int32_t, ())                                                   \
  function(aoti_torch_device_type_cpu, int32_t, ())                                                  \
  function(aoti_torch_device_type_cuda, int32_t, ())                                                 \
  function(aoti_torch_get_device_index, Status, (TensorObject*, int32_t*))                           \
  function(aoti_torch_get_device_type, Status, (TensorObject*, int32_t*))                            \
  function(aoti_torch_get_layout, Status, (TensorObject*, int32_t*))                                 \
  function(aoti_torch_get_dtype, Status, (TensorObject*, int32_t*))                                  \
  function(aoti_torch_get_dim, Status, (TensorObject*, int64_t*))                                    \
  function(aoti_torch_get_sizes, Status, (TensorObject*, int64_t**))                                 \
  function(aoti_torch_get_strides, Status, (TensorObject*, int64_t**))                               \
  function(aoti_torch_get_numel, Status, (TensorObject*, int64_t*))                                  \
  function(aoti_torch_get_storage_size, Status, (TensorObject*, int64_t* bytes))                     \
  function(aoti_torch_is_contiguous, Status, (TensorObject*, bool*))                                 \
  function(torch_get_const_data_ptr, Status, (TensorObject*, const void**))                          \
  function(torch_get_mutable_data_ptr, Status, (TensorObject*, void**))                              \
  function(aoti_torch_empty_strided, Status,                                                         \
           (int64_t rank, const int64_t* sizes, const int64_t* strides, int32_t dtype,               \
            int32_t device_type, int32_t device_index, TensorObject**))                              \
  function(aoti_torch_create_tensor_from_blob, Status,                                               \
           (void* data, int64_t rank, const int64_t* sizes, const int64_t* strides, int64_t offset,  \
            int32_t dtype, int32_t device_type, int32_t device_index, TensorObject**))               \
  function(aoti_torch_copy_, Status, (TensorObject* to, TensorObject* from, int32_t non_blocking))   \
  function(aoti_torch_delete_tensor_object, Status, (TensorObject*))                                 \
  function(torch_list_size, Status, (List*, size_t*))                                                \
  function(torch_list_get_item, Status, (List*, size_t, Word*))                                      \
  function(torch_delete_list, Status, (List*))                                                       \
  function(torch_string_length, Status, (String*, size_t*))                                          \
  function(torch_string_c_str, Status, (String*, const char**))                                      \
  function(torch_delete_string, Status, (String*))                                                   \
  function(torch_parallel_for, Status,                                                               \
           (int64_t begin, int64_t end, int64_t grain,                                               \
            void (*body)(int64_t begin, int64_t end, void* context), void* context))                 \
  function(aoti_torch_library_init_fragment, Status,                                                 \
           (const char* space, const char* file, uint32_t line, Library**))                          \
  function(aoti_torch_library_init_impl, Status,                                                     \
           (const char* space, const char* key, const char* file, uint32_t line, Library**))         \
  function(aoti_torch_library_def, Status, (Library*, const char* schema))                           \
  function(torch_library_impl, Status, (Library*, const char* name, Kernel, uint64_t version))

// Functions that were added later; null in earlier releases.
#define ONNXOP_ATEN_LATER_FUNCTIONS(function)                                                        \
  function(torch_exception_get_what_without_backtrace, const char*, ())              /* 2.13 */      \
  function(torch_delete_stable_ivalue, Status, (Word*))                              /* 2.13 */      \
  function(torch_tensor_from_pyobject, Status, (void* object, TensorObject**))       /* 2.14 */      \
  function(torch_tensor_to_pyobject, Status, (TensorObject*, void* type, void** object)) /* 2.14 */
// clang-format on

// Functions of libtorch_cuda.so, for the library for CUDA. All are in 2.10.
struct CudaGuard;
// clang-format off
#define ONNXOP_ATEN_CUDA_FUNCTIONS(function)                                                         \
  function(aoti_torch_get_current_cuda_stream, Status, (int32_t device_index, void** stream))        \
  function(aoti_torch_create_cuda_guard, Status, (int32_t device_index, CudaGuard**))                \
  function(aoti_torch_delete_cuda_guard, Status, (CudaGuard*))
// clang-format on

struct Functions {
#define ONNXOP_DECLARE(name, result, parameters) result(*name) parameters;
  ONNXOP_ATEN_FUNCTIONS(ONNXOP_DECLARE)
  ONNXOP_ATEN_LATER_FUNCTIONS(ONNXOP_DECLARE)
#if defined(ONNXOP_CUDA)
  ONNXOP_ATEN_CUDA_FUNCTIONS(ONNXOP_DECLARE)
#endif
#undef ONNXOP_DECLARE
};

/// Returns the functions of the loaded libtorch. Throws std::runtime_error if none is loaded, or one
/// before 2.10.
const Functions& functions();

/// Throws std::runtime_error if a function failed.
void check(Status status, const char* what);

}  // namespace onnxop::aten
