// The part of ONNX Runtime's C API that a custom op needs. No header or library of ONNX Runtime is used,
// so that one binary works with every release from 1.17 on.
//
// The API is a table of functions that keep their slots in all releases. The members of the struct that
// describes an op keep their offsets, too.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../model/attributes.h"

namespace onnxop::ort {

static_assert(sizeof(void*) == 8, "the offsets below are those of 64-bit machines");

/// The API's version: version N came with release 1.N, and every later release has it.
inline constexpr uint32_t kApiVersion = 17;

// ---- Objects of the runtime, always behind pointers ----

struct Status;
struct SessionOptions;
struct KeyValuePairs;
struct CustomOpDomain;
struct KernelInfo;
struct KernelContext;
struct ShapeInferContext;
struct OpAttribute;
struct Value;
struct TypeInfo;
struct TensorInfo;

// ---- Numbers ----

/// The numbers of ONNX's TensorProto.DataType.
enum class ElementType : int32_t {
  any = 0,
  float32 = 1,
  uint8 = 2,
  int8 = 3,
  uint16 = 4,
  int16 = 5,
  int32 = 6,
  int64 = 7,
  string = 8,
  boolean = 9,
  float16 = 10,
  float64 = 11,
  uint32 = 12,
  uint64 = 13,
  complex64 = 14,
  complex128 = 15,
  bfloat16 = 16,
};

enum class ErrorCode : int32_t {
  fail = 1,
  invalid_argument = 2,
};

enum class Characteristic : int32_t {
  required = 0,
  optional = 1,
  variadic = 2,  // the last input, for any number of inputs
};

// ---- The functions ----

/// The table of functions. A null status is success; the caller must release or pass on any other
/// status.
class Api {
 public:
  using Table = void (*const)();

  explicit Api(Table* table) : table_(table) {}

  Table* table() const { return table_; }

  // Statuses. The message is copied.
  Status* create_status(ErrorCode code, const char* message) const {
    return call<0, Status*>(code, message);
  }
  void release_status(Status* status) const { call<93, void>(status); }

  // Registration.
  Status* create_domain(const char* name, CustomOpDomain** domain) const {
    return call<26, Status*>(name, domain);
  }
  Status* add_op(CustomOpDomain* domain, const struct CustomOp* op) const {
    return call<27, Status*>(domain, op);
  }
  Status* add_domain(SessionOptions* options, CustomOpDomain* domain) const {
    return call<28, Status*>(options, domain);
  }

  // Entries in the options of a session; the runtime reads those that it knows.
  Status* set_config(SessionOptions* options, const char* key, const char* value) const {
    return call<130, Status*>(options, key, value);
  }
  Status* has_config(const SessionOptions* options, const char* key, int* has) const {
    return call<237, Status*>(options, key, has);
  }
  Status* get_config(const SessionOptions* options, const char* key, char* out,
                     size_t* size) const {
    return call<238, Status*>(options, key, out, size);
  }
  // All entries, from release 1.23 on; the arrays belong to the pairs.
  Status* get_configs(const SessionOptions* options, KeyValuePairs** pairs) const {
    return call<379, Status*>(options, pairs);
  }
  void get_pairs(const KeyValuePairs* pairs, const char* const** keys, const char* const** values,
                 size_t* count) const {
    call<298, void>(pairs, keys, values, count);
  }
  void release_pairs(KeyValuePairs* pairs) const { call<300, void>(pairs); }

  // A node's attributes, while its kernel is created. `size` is the capacity of `out` before, and the
  // required size after the call; `out` may be null to query it.
  Status* get_attribute(const KernelInfo* info, const char* name, float* out) const {
    return call<85, Status*>(info, name, out);
  }
  Status* get_attribute(const KernelInfo* info, const char* name, int64_t* out) const {
    return call<86, Status*>(info, name, out);
  }
  Status* get_attribute(const KernelInfo* info, const char* name, char* out, size_t* size) const {
    return call<87, Status*>(info, name, out, size);
  }
  Status* get_attribute(const KernelInfo* info, const char* name, float* out, size_t* size) const {
    return call<162, Status*>(info, name, out, size);
  }
  Status* get_attribute(const KernelInfo* info, const char* name, int64_t* out,
                        size_t* size) const {
    return call<163, Status*>(info, name, out, size);
  }

  // A node's inputs, while its kernel is created; a missing input has no type.
  Status* get_input_count(const KernelInfo* info, size_t* count) const {
    return call<230, Status*>(info, count);
  }
  Status* get_input_type(const KernelInfo* info, size_t index, TypeInfo** type) const {
    return call<234, Status*>(info, index, type);
  }
  /// Null if it is not a tensor; the caller does not own it.
  Status* get_tensor_info(const TypeInfo* type, const TensorInfo** info) const {
    return call<55, Status*>(type, info);
  }
  void release_type(TypeInfo* type) const { call<98, void>(type); }

  // A call of a kernel. The runtime owns the values; a missing input is null.
  Status* get_input_count(const KernelContext* context, size_t* count) const {
    return call<88, Status*>(context, count);
  }
  Status* get_input(const KernelContext* context, size_t index, const Value** value) const {
    return call<90, Status*>(context, index, value);
  }
  Status* get_output(KernelContext* context, size_t index, const int64_t* sizes, size_t rank,
                     Value** value) const {
    return call<91, Status*>(context, index, sizes, rank, value);
  }
  /// Calls `body(data, i)` for i from 0 to count, on the session's threads; with 0 batches the
  /// runtime chooses how many.
  Status* parallel_for(const KernelContext* context, void (*body)(void*, size_t), size_t count,
                       size_t batches, void* data) const {
    return call<274, Status*>(context, body, count, batches, data);
  }

  /// The provider's stream, since release 1.10; null on CPUs.
  Status* get_stream(const KernelContext* context, void** stream) const {
    return call<193, Status*>(context, stream);
  }

  // Tensors.
  Status* get_data(Value* value, void** data) const { return call<51, Status*>(value, data); }
  Status* get_info(const Value* value, TensorInfo** info) const {
    return call<65, Status*>(value, info);
  }
  Status* create_info(TensorInfo** info) const { return call<57, Status*>(info); }
  void release_info(TensorInfo* info) const { call<99, void>(info); }
  Status* get_element_type(const TensorInfo* info, ElementType* type) const {
    return call<60, Status*>(info, type);
  }
  Status* set_element_type(TensorInfo* info, ElementType type) const {
    return call<58, Status*>(info, type);
  }
  Status* get_rank(const TensorInfo* info, size_t* rank) const {
    return call<61, Status*>(info, rank);
  }
  Status* get_sizes(const TensorInfo* info, int64_t* sizes, size_t rank) const {
    return call<62, Status*>(info, sizes, rank);
  }
  Status* set_sizes(TensorInfo* info, const int64_t* sizes, size_t rank) const {
    return call<59, Status*>(info, sizes, rank);
  }
  Status* get_size_names(const TensorInfo* info, const char** names, size_t rank) const {
    return call<63, Status*>(info, names, rank);
  }
  Status* set_size_names(TensorInfo* info, const char** names, size_t rank) const {
    return call<271, Status*>(info, names, rank);
  }

  // Shape inference. The context owns the inputs' infos and the attributes.
  Status* get_input_count(const ShapeInferContext* context, size_t* count) const {
    return call<267, Status*>(context, count);
  }
  Status* get_input_info(const ShapeInferContext* context, size_t index, TensorInfo** info) const {
    return call<268, Status*>(context, index, info);
  }
  Status* get_attribute(const ShapeInferContext* context, const char* name,
                        const OpAttribute** attribute) const {
    return call<269, Status*>(context, name, attribute);
  }
  Status* set_output_info(const ShapeInferContext* context, size_t index,
                          const TensorInfo* info) const {
    return call<270, Status*>(context, index, info);
  }
  Status* read_attribute(const OpAttribute* attribute, AttributeType type, void* data, size_t room,
                         size_t* size) const {
    return call<272, Status*>(attribute, type, data, room, size);
  }

 private:
  /// The type of a function, from its wrapper.
  template <size_t kSlot, typename Result, typename... Argument>
  Result call(Argument... arguments) const {
    return reinterpret_cast<Result (*)(Argument...)>(table_[kSlot])(arguments...);
  }

  Table* table_;
};

/// The argument of a library's registration function.
struct ApiBase {
  Api::Table* (*get_api)(uint32_t version);  // null if the runtime is older than that
  const char* (*get_version_string)();
};

static_assert(offsetof(ApiBase, get_version_string) == 8);

// ---- The description of an op ----

/// The runtime reads the members that existed at `version`.
struct CustomOp {
  uint32_t version;
  void* (*create_kernel)(const CustomOp*, Api::Table*, const KernelInfo*);  // not called
  const char* (*get_name)(const CustomOp*);
  const char* (*get_execution_provider)(const CustomOp*);  // null is the CPU's
  ElementType (*get_input_type)(const CustomOp*, size_t index);
  size_t (*get_input_count)(const CustomOp*);
  ElementType (*get_output_type)(const CustomOp*, size_t index);
  size_t (*get_output_count)(const CustomOp*);
  void (*compute)(void* kernel, KernelContext*);  // not called
  void (*destroy_kernel)(void* kernel);
  Characteristic (*get_input_characteristic)(const CustomOp*, size_t index);
  Characteristic (*get_output_characteristic)(const CustomOp*, size_t index);
  int32_t (*get_input_memory_type)(const CustomOp*, size_t index);  // 0 is the provider's own
  int32_t (*get_variadic_input_min_arity)(const CustomOp*);
  int32_t (*get_variadic_input_homogeneity)(const CustomOp*);
  int32_t (*get_variadic_output_min_arity)(const CustomOp*);
  int32_t (*get_variadic_output_homogeneity)(const CustomOp*);
  Status* (*create_kernel_v2)(const CustomOp*, Api::Table*, const KernelInfo*, void** kernel);
  Status* (*compute_v2)(void* kernel, KernelContext*);
  Status* (*infer_shapes)(const CustomOp*, ShapeInferContext*);  // may be null
  int32_t (*get_start_version)(const CustomOp*);                 // of the domain
  int32_t (*get_end_version)(const CustomOp*);
};

static_assert(offsetof(CustomOp, create_kernel) == 8);
static_assert(offsetof(CustomOp, get_name) == 16);
static_assert(offsetof(CustomOp, get_execution_provider) == 24);
static_assert(offsetof(CustomOp, get_input_type) == 32);
static_assert(offsetof(CustomOp, get_input_count) == 40);
static_assert(offsetof(CustomOp, get_output_type) == 48);
static_assert(offsetof(CustomOp, get_output_count) == 56);
static_assert(offsetof(CustomOp, compute) == 64);
static_assert(offsetof(CustomOp, destroy_kernel) == 72);
static_assert(offsetof(CustomOp, get_input_characteristic) == 80);
static_assert(offsetof(CustomOp, get_output_characteristic) == 88);
static_assert(offsetof(CustomOp, get_input_memory_type) == 96);
static_assert(offsetof(CustomOp, get_variadic_input_min_arity) == 104);
static_assert(offsetof(CustomOp, get_variadic_input_homogeneity) == 112);
static_assert(offsetof(CustomOp, get_variadic_output_min_arity) == 120);
static_assert(offsetof(CustomOp, get_variadic_output_homogeneity) == 128);
static_assert(offsetof(CustomOp, create_kernel_v2) == 136);
static_assert(offsetof(CustomOp, compute_v2) == 144);
static_assert(offsetof(CustomOp, infer_shapes) == 152);
static_assert(offsetof(CustomOp, get_start_version) == 160);
static_assert(offsetof(CustomOp, get_end_version) == 168);
static_assert(sizeof(CustomOp) == 176);

}  // namespace onnxop::ort
