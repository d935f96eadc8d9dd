// The host in ONNX Runtime: a custom op for each op and dtype that its kernel supports, and their
// registration with the options of a session.
#include <dlfcn.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "../op.h"
#if defined(ONNXOP_CUDA)
#include "../torch/call.h"
#endif
#include "abi.h"
#include "kernel.h"
#include "options.h"
#include "session.h"
#include "tensor.h"

namespace onnxop::ort {
namespace {

/// Returns whether the runtime is of release 1.`minor` or later.
bool is_since(const char* version, int minor) {
  int major = 0, actual = 0;
  const bool is_read = std::sscanf(version, "%d.%d", &major, &actual) == 2;
  return is_read && (major > 1 || actual >= minor);
}

// ---- The description of the library ----

#if defined(ONNXOP_CUDA)
#if !defined(ONNXOP_CUDA_PROVIDER)
#define ONNXOP_CUDA_PROVIDER "CUDAExecutionProvider"
#endif
constexpr const char* kProvider = ONNXOP_CUDA_PROVIDER;
constexpr const char* kDevice = "cuda";
#else
constexpr const char* kProvider = nullptr;  // the CPU's
constexpr const char* kDevice = "cpu";
#endif

/// Returns all ops of this library.
std::vector<const Op*>& all_ops() {
#if defined(ONNXOP_CUDA)
  static auto& ops = *new std::vector<const Op*>(onnxop::all_ops());  // one library has both hosts
#else
  static auto& ops = *new std::vector<const Op*>;
#endif
  return ops;
}

// ---- The ops ----

/// The features of a runtime.
struct Abilities {
  /// Before release 1.24, shape inference of a node with a missing input crashes the process.
  bool infers_shapes;
  /// Before release 1.22, the runtime refuses ops with output types from infer().
  bool infers_types;
  /// Before release 1.28, setting the shape of a missing last output crashes the process.
  bool knows_absent_outputs;
};

Abilities abilities_of(const Op& op, const char* version) {
  const auto may_be_absent = [](const Argument& argument) {
    return argument.is_tensor() && argument.type.is_optional;
  };
  const bool has_all_inputs = std::ranges::none_of(op.arguments, may_be_absent);
  const bool infers_shapes = has_all_inputs || is_since(version, 24);
  return {.infers_shapes = infers_shapes,
          .infers_types = infers_shapes && is_since(version, 22),
          .knows_absent_outputs = is_since(version, 28)};
}

/// Returns the input whose dtype selects the custom op of a node: the first one that is always present. Null
/// if there is none.
const Argument* selecting_input(const Op& op) {
  for (const Argument& argument : op.arguments) {
    if (argument.is_tensor() && !argument.dtype && !argument.type.is_optional) return &argument;
  }
  return nullptr;
}

/// The custom op of one domain, op type and dtype. The runtime does not change it, and passes it to each
/// function.
struct HostedOp : CustomOp {
  const Op& op;
  std::vector<const Argument*> inputs;
  Api api;
  std::string domain, op_type;
  Dtype dtype;
  Abilities runtime;
  bool is_first;  // of the op's custom ops in the domain
  const Argument* selecting;

  HostedOp(const Op& op, const Api& api, std::string domain, std::string op_type, Dtype dtype,
           Abilities runtime, bool is_first)
      : CustomOp(describe(runtime.infers_shapes)),
        op(op),
        api(api),
        domain(std::move(domain)),
        op_type(std::move(op_type)),
        dtype(dtype),
        runtime(runtime),
        is_first(is_first),
        selecting(selecting_input(op)) {
    for (const Argument& argument : op.arguments) {
      if (argument.is_tensor()) inputs.push_back(&argument);
    }
  }

 private:
  static const HostedOp& self(const CustomOp* op) { return static_cast<const HostedOp&>(*op); }

  /// Returns the type of a tensor with that dtype; std::nullopt for this op's own.
  static ElementType type(const CustomOp* op, std::optional<Dtype> dtype) {
    return element_type_of(dtype.value_or(self(op).dtype));
  }
  /// If an input that is always present selects the op, the kernel checks the others, because its messages are
  /// better.
  static ElementType input_type(const CustomOp* op, size_t index) {
    const Argument* const input = self(op).inputs[index];
    const bool is_selected = self(op).selecting != nullptr && self(op).selecting != input;
    return is_selected ? ElementType::any : type(op, input->dtype);
  }
  static ElementType output_type(const CustomOp* op, size_t index) {
    const std::optional<Dtype> dtype = self(op).op.results[index].dtype;
    const bool is_left_open = dtype == kAnyDtype && !self(op).runtime.infers_types;
    return type(op, is_left_open ? std::nullopt : dtype);
  }

  static Characteristic characteristic(bool is_optional) {
    return is_optional ? Characteristic::optional : Characteristic::required;
  }
  static Characteristic input_characteristic(const CustomOp* op, size_t index) {
    const Argument& input = *self(op).inputs[index];
    return input.type.is_list ? Characteristic::variadic : characteristic(input.type.is_optional);
  }
  /// Returns whether a list of inputs selects the op: it is then not empty, and has one dtype.
  static int32_t is_selected_by_list(const CustomOp* op) {
    const Argument* const input = self(op).selecting;
    return input != nullptr && input->type.is_list ? 1 : 0;
  }
  /// A node may leave out unused ones of several outputs.
  static Characteristic output_characteristic(const CustomOp* op, size_t index) {
    const std::span<const Result> results = self(op).op.results;
    const bool may_be_absent =
        self(op).runtime.knows_absent_outputs || results[index].dtype != kAnyDtype;
    return characteristic(results.size() > 1 && may_be_absent);
  }

  static CustomOp describe(bool infers_shapes) {
    const auto not_variadic = [](const CustomOp*) -> int32_t { return 0; };
    return {
        .version = kApiVersion,
        .create_kernel = nullptr,
        .get_name = [](const CustomOp* op) { return self(op).op_type.c_str(); },
        .get_execution_provider = [](const CustomOp*) -> const char* { return kProvider; },
        .get_input_type = input_type,
        .get_input_count = [](const CustomOp* op) { return self(op).inputs.size(); },
        .get_output_type = output_type,
        .get_output_count = [](const CustomOp* op) { return self(op).op.results.size(); },
        .compute = nullptr,
        .destroy_kernel = [](void* kernel) { delete static_cast<Kernel*>(kernel); },
        .get_input_characteristic = input_characteristic,
        .get_output_characteristic = output_characteristic,
        // An input that infer() reads stays in the CPU's memory.
        .get_input_memory_type =
            [](const CustomOp* op, size_t index) -> int32_t { return self(op).inputs[index]->on_host ? -2 : 0; },
        .get_variadic_input_min_arity = is_selected_by_list,
        .get_variadic_input_homogeneity = is_selected_by_list,
        .get_variadic_output_min_arity = not_variadic,
        .get_variadic_output_homogeneity = not_variadic,
        .create_kernel_v2 = create,
        .compute_v2 = run,
        .infer_shapes = infers_shapes ? infer : nullptr,
        // Models of an earlier version run their functions; the kernel checks for later versions.
        .get_start_version = [](const CustomOp* op) { return self(op).op.version; },
        // Called once per session.
        .get_end_version =
            [](const CustomOp* op) {
              if (self(op).is_first) sessions.load()->add_node(self(op).op, self(op).domain.c_str(), kDevice);
              return std::numeric_limits<int32_t>::max();
            },
    };
  }

  static Status* create(const CustomOp* op, Api::Table*, const KernelInfo* info, void** kernel) {
    const Api& api = self(op).api;
    sessions.load()->set_found();
    return guarded(api, [&] {
      *kernel = new Kernel(self(op).op, api, info, self(op).dtype);
      const std::string node = self(op).domain + "::" + self(op).op_type;
      sessions.load()->add_kernel(node.c_str(), kDevice);
    });
  }

  static Status* run(void* pointer, KernelContext* context) {
    const auto& kernel = *static_cast<const Kernel*>(pointer);
    return guarded(kernel.api(), [&] { kernel.compute(context); });
  }

  static Status* infer(const CustomOp* op, ShapeInferContext* context) {
    const Api& api = self(op).api;
    const bool all_outputs = self(op).runtime.knows_absent_outputs;
    sessions.load()->set_found();
    return guarded(api, [&] {
      ort::infer_shapes(self(op).op, api, context, self(op).dtype, all_outputs);
    });
  }
};

/// Returns the dtypes of the nodes that the library serves: those of the kernel, and 16-bit floats, which a
/// kernel without them computes in float. Nodes with other dtypes could not run at all: the runtime would not
/// use their functions.
std::vector<Dtype> served(const Op& op) {
  std::vector<Dtype> dtypes(op.dtypes.begin(), op.dtypes.end());
#if !defined(ONNXOP_CUDA)
  for (const Dtype dtype : {Dtype::float16, Dtype::bfloat16}) {
    if (widens(op, dtype)) dtypes.push_back(dtype);
  }
#endif
  return dtypes;
}

/// The ops of a domain. They live until the process ends, because sessions may be destroyed after this library's
/// static objects. A process may have several runtimes.
const std::vector<const CustomOp*>& hosted(const Op& op, const std::string& domain, const Api& api,
                                           const char* version) {
  using Key = std::tuple<const Op*, std::string, Api::Table*>;
  static std::mutex mutex;
  static auto& known = *new std::map<Key, std::vector<const CustomOp*>>;
  const std::lock_guard lock(mutex);
  std::vector<const CustomOp*>& ops = known[{&op, domain, api.table()}];
  if (!ops.empty()) return ops;
  const Abilities runtime = abilities_of(op, version);
  for (int number = 1; number <= kVariants; ++number) {
    for (const Dtype dtype : served(op)) {
      const bool is_first = ops.empty();
      const std::string op_type = variant_of(op.op_type, number);
      ops.push_back(new HostedOp(op, api, domain, op_type, dtype, runtime, is_first));
    }
  }
  return ops;
}

/// A domain of the runtime, which must outlive the options that it is added to.
struct Domain {
  CustomOpDomain* domain = nullptr;
  bool is_extended = false;  // by another library, for these options only
};

/// Adds the ops to a domain of the options. The runtime accepts each domain only once, but several libraries
/// may have ops in it, so the first library records the domain in the options.
///
/// The library is not told when options are deleted. New options at the same address with the same request
/// get the same domain, so that there are as many domains as options at one time, not as many as
/// registrations.
void add_ops(const Api& api, SessionOptions* options, const std::string& name,
             const std::vector<const CustomOp*>& ops) {
  const Note note = domain_note(api, options, name);
  const Note extended = extended_note(api, options, name);
  if (auto* const domain = static_cast<CustomOpDomain*>(note.read())) {
    if (auto* const is_extended = static_cast<bool*>(extended.read())) *is_extended = true;
    for (const CustomOp* op : ops) check(api.add_op(domain, op));
    return;
  }
  using Key = std::tuple<SessionOptions*, std::string, std::vector<const CustomOp*>>;
  static std::mutex mutex;
  static auto& known = *new std::map<Key, Domain>;
  const std::lock_guard lock(mutex);
  Domain& own = known[{options, name, ops}];
  if (own.domain == nullptr || own.is_extended) {
    own = {};
    check(api.create_domain(name.c_str(), &own.domain));
    for (const CustomOp* op : ops) check(api.add_op(own.domain, op));
  }
  check(api.add_domain(options, own.domain));
  note.write(own.domain);
  extended.write(&own.is_extended);
}

/// Returns the file of the library that has this object.
std::string file_of(const void* object) {
  Dl_info info;
  const bool is_found = dladdr(object, &info) != 0 && info.dli_fname != nullptr;
  return is_found ? info.dli_fname : "another library";
}

/// Records the node in the options as this library's. Returns whether it is new; throws if another library has it.
bool claim(const Op& op, const Api& api, SessionOptions* options, const std::string& domain) {
  const std::string node = domain + "::" + op.op_type;
  const Note note = node_note(api, options, kDevice, node);
  const void* const owner = note.read();
  if (owner == nullptr) note.write(&kOwnSessions);  // its address identifies the library
  if (owner != nullptr && owner != &kOwnSessions) {
    fail(op.name, ": the node ", node, " is already registered by ", file_of(owner));
  }
  return owner == nullptr;
}

#if defined(ONNXOP_CUDA)
/// Registers the package's library for CPUs, if it is in the same folder: nodes run there in sessions without the CUDA
/// provider. They would not load in such sessions otherwise, not even as their functions.
Status* register_cpu_library(SessionOptions* options, const ApiBase* base) {
  using Register = Status* (*)(SessionOptions*, const ApiBase*);
  const std::string own = file_of(&kOwnSessions);
  constexpr std::string_view kSuffix = "_cuda.so";
  if (!own.ends_with(kSuffix)) return nullptr;
  const std::string path = own.substr(0, own.size() - kSuffix.size()) + "_onnxruntime.so";
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return nullptr;
  const auto add = reinterpret_cast<Register>(dlsym(library, "RegisterCustomOps"));
  return add == nullptr ? nullptr : add(options, base);
}

/// Counts nodes together with the library for CPUs, if that serves them in these options, too.
void join_sessions(const Api& api, SessionOptions* options) {
  for (const Op* op : all_ops()) {
    const std::string node = std::string(op->domain) + "::" + op->op_type;
    const Note note = node_note(api, options, "cpu", node);
    if (const void* const owner = note.read()) sessions = static_cast<const Sessions*>(owner);
  }
}
#endif

/// Returns an error that the runtime is too old, through the oldest API, which has statuses.
Status* refuse_runtime(const ApiBase& base) {
  for (uint32_t version = 1; version < kApiVersion; ++version) {
    Api::Table* const table = base.get_api(version);
    if (table == nullptr) continue;
    return guarded(Api(table), [&] {
      fail(all_ops().front()->name, " needs ONNX Runtime 1.", kApiVersion, " or later, but this is ",
           base.get_version_string());
    });
  }
  return nullptr;
}

}  // namespace
}  // namespace onnxop::ort

#if !defined(ONNXOP_CUDA)
void onnxop::add(const Op& op, const Boxed&, const char*, uint32_t) {
  ort::all_ops().push_back(&op);
}
#endif

/// Returns a description of this library as JSON: its package, and for each op its node, the number of its
/// variants, the element types, as ONNX's numbers, that an input may have, and its attributes.
extern "C" __attribute__((visibility("default"))) const char* onnxop_library() {
  using namespace onnxop;
  static const std::string text = [] {
    std::ostringstream out;
    const char* separator = "";
    out << "{\"abi\": " << kAbi << ", \"package\": \"" << ort::all_ops().front()->package << "\", \"ops\": {";
    for (const Op* op : ort::all_ops()) {
      const Argument* const input = ort::selecting_input(*op);
      out << separator << '"' << op->name << "\": {\"domain\": \"" << op->domain
          << "\", \"op_type\": \"" << op->op_type << "\", \"version\": " << op->version
          << ", \"variants\": " << kVariants << ", \"input\": \""
          << (input ? input->name : "") << "\", \"types\": [";
      separator = "";
      for (const Dtype dtype : ort::served(*op)) {
        out << separator << static_cast<int32_t>(ort::element_type_of(dtype));
        separator = ", ";
      }
      out << "], \"attributes\": [";
      separator = "";
      for (const Argument& argument : op->arguments) {
        if (argument.is_tensor()) continue;
        out << separator << '"' << argument.name << '"';
        separator = ", ";
      }
      out << "]}";
      separator = ", ";
    }
    out << "}}";
    return out.str();
  }();
  return text.c_str();
}

/// Returns the number of nodes that this library computes in the last session of this thread that has it, as
/// JSON, {"my_lib::my_add": {"cpu": 3}}, which the thread's next call overwrites. If it computes none of a named model,
/// a sentence on stderr says so. With the library for CUDA, the counts are those of both.
extern "C" __attribute__((visibility("default"))) const char* onnxop_served(const char* model) {
  return onnxop::ort::sessions.load()->kernels_as_json(model);
}

/// Adds all ops to the options of a session, in each requested domain.
extern "C" __attribute__((visibility("default"))) onnxop::ort::Status* RegisterCustomOps(
    onnxop::ort::SessionOptions* options, const onnxop::ort::ApiBase* base) {
  using namespace onnxop;
  ort::Api::Table* const table = base->get_api(ort::kApiVersion);
  if (table == nullptr) return ort::refuse_runtime(*base);
  const ort::Api api(table);
  const char* const version = base->get_version_string();
  ort::sessions.load()->finish();
#if defined(ONNXOP_CUDA)
  if (ort::Status* const error = ort::register_cpu_library(options, base)) return error;
#endif
  return ort::guarded(api, [&] {
#if defined(ONNXOP_CUDA)
    ort::join_sessions(api, options);
#endif
    std::map<std::string, std::vector<const ort::CustomOp*>> domains;
    std::set<std::string> read;
    for (const Op* op : ort::all_ops()) {
      for (const std::string& domain : ort::domains_of(*op, api, options, read)) {
        if (!ort::claim(*op, api, options, domain)) continue;
        const auto& ops = ort::hosted(*op, domain, api, version);
        domains[domain].insert(domains[domain].end(), ops.begin(), ops.end());
      }
    }
    if (ort::is_since(version, 23)) ort::note_entries(api, options, read);
    for (const auto& [domain, ops] : domains) ort::add_ops(api, options, domain, ops);
  });
}
