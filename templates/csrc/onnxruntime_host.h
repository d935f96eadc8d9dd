// The host of a kernel in ONNX Runtime: one custom op for each dtype that it supports, and their
// registration with the options of a session.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <mutex>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "onnxruntime_abi.h"
#include "onnxruntime_kernel.h"
#include "onnxruntime_tensor.h"
#include "operator.h"
#include "tensor.h"

namespace op::ort {

/// Whether the runtime is of release 1.`minor` or later.
inline bool is_since(const char* version, int minor) {
  int major = 0, found = 0;
  const bool is_read = std::sscanf(version, "%d.%d", &major, &found) == 2;
  return is_read && (major > 1 || found >= minor);
}

/// What a runtime can do.
struct Abilities {
  /// Before release 1.24, inferring the shapes of a node that leaves out an input ends the process.
  bool infers_shapes;
  /// Before release 1.22, the runtime refuses ops with outputs whose types are left to infer().
  bool infers_types;
  /// Before release 1.28, saying the shape of a last output that is left out ends the process.
  bool knows_absent_outputs;
};

template <typename Node>
Abilities abilities_of(const char* version) {
  const bool has_all_inputs = std::ranges::none_of(Node::kInputs, &Port::is_optional);
  const bool infers_shapes = has_all_inputs || is_since(version, 24);
  return {.infers_shapes = infers_shapes,
          .infers_types = infers_shapes && is_since(version, 22),
          .knows_absent_outputs = is_since(version, 28)};
}

/// The custom op of one op type and dtype. The runtime never changes it, and hands it to every
/// function.
template <typename Node>
struct HostedOp : CustomOp {
  Api api;
  std::string op_type;
  Dtype dtype;
  Abilities runtime;

  HostedOp(const Api& api, std::string op_type, Dtype dtype, Abilities runtime)
      : CustomOp(describe(runtime.infers_shapes)),
        api(api),
        op_type(std::move(op_type)),
        dtype(dtype),
        runtime(runtime) {}

 private:
  static const HostedOp& self(const CustomOp* op) { return static_cast<const HostedOp&>(*op); }

  static ElementType type(const CustomOp* op, const Port& port) {
    return port.type ? *port.type : element_type_of(self(op).dtype);
  }
  static ElementType input_type(const CustomOp* op, size_t index) {
    return type(op, Node::kInputs[index]);
  }
  static ElementType output_type(const CustomOp* op, size_t index) {
    const ElementType found = type(op, Node::kOutputs[index]);
    const bool is_open = found == ElementType::any && !self(op).runtime.infers_types;
    return is_open ? element_type_of(self(op).dtype) : found;
  }

  static Characteristic characteristic(bool is_optional) {
    return is_optional ? Characteristic::optional : Characteristic::required;
  }
  static Characteristic input_characteristic(const CustomOp*, size_t index) {
    return characteristic(Node::kInputs[index].is_optional);
  }
  static Characteristic output_characteristic(const CustomOp* op, size_t index) {
    const Port& port = Node::kOutputs[index];
    const bool may_be_absent = self(op).runtime.knows_absent_outputs || !port.is_open();
    return characteristic(port.is_optional && may_be_absent);
  }

  static CustomOp describe(bool infers_shapes) {
    const auto not_variadic = [](const CustomOp*) -> int32_t { return 0; };
    return {
        .version = kApiVersion,
        .create_kernel = nullptr,
        .get_name = [](const CustomOp* op) { return self(op).op_type.c_str(); },
        .get_execution_provider = [](const CustomOp*) -> const char* { return nullptr; },
        .get_input_type = input_type,
        .get_input_count = [](const CustomOp*) { return Node::kInputs.size(); },
        .get_output_type = output_type,
        .get_output_count = [](const CustomOp*) { return Node::kOutputs.size(); },
        .compute = nullptr,
        .destroy_kernel = [](void* kernel) { delete static_cast<Kernel<Node>*>(kernel); },
        .get_input_characteristic = input_characteristic,
        .get_output_characteristic = output_characteristic,
        .get_input_memory_type = [](const CustomOp*, size_t) -> int32_t { return 0; },
        .get_variadic_input_min_arity = not_variadic,
        .get_variadic_input_homogeneity = not_variadic,
        .get_variadic_output_min_arity = not_variadic,
        .get_variadic_output_homogeneity = not_variadic,
        .create_kernel_v2 = create,
        .compute_v2 = run,
        .infer_shapes = infers_shapes ? infer : nullptr,
        .get_start_version = [](const CustomOp*) -> int32_t { return 1; },
        .get_end_version = [](const CustomOp*) { return std::numeric_limits<int32_t>::max(); },
    };
  }

  static Status* create(const CustomOp* op, Api::Table*, const KernelInfo* info, void** kernel) {
    const Api& api = self(op).api;
    return guarded(api, [&] { *kernel = new Kernel<Node>(api, info); });
  }

  static Status* run(void* pointer, KernelContext* context) {
    const auto& kernel = *static_cast<const Kernel<Node>*>(pointer);
    return guarded(kernel.api(), [&] { kernel.compute(context); });
  }

  static Status* infer(const CustomOp* op, ShapeInferContext* context) {
    const Api& api = self(op).api;
    const bool all_outputs = self(op).runtime.knows_absent_outputs;
    return guarded(api, [&] { ort::infer_shapes<Node>(api, context, all_outputs); });
  }
};

/// Nodes of one model whose function bodies differ are told apart by their op types: these are all
/// the same op. A model that needs more of them runs the functions of the others.
inline constexpr int kVariants = 16;

inline std::string variant_of(const std::string& op_type, int number) {
  return number == 1 ? op_type : op_type + "_variant_" + std::to_string(number);
}

/// The ops, which live until the process ends: so may sessions, which may be torn down after this
/// library's static objects. A process may have several runtimes.
template <typename Node, typename... T>
std::vector<const CustomOp*> ops_of(const Api& api, const char* version, Types<T...>) {
  static std::mutex mutex;
  static auto& runtimes =
      *new std::vector<std::pair<Api::Table*, std::vector<const CustomOp*>>>;
  const std::lock_guard lock(mutex);
  for (const auto& [table, ops] : runtimes) {
    if (table == api.table()) return ops;
  }
  const Abilities runtime = abilities_of<Node>(version);
  std::vector<const CustomOp*> ops;
  for (int number = 1; number <= kVariants; ++number) {
    for (const Dtype dtype : {TypeTraits<T>::dtype...}) {
      const std::string op_type = variant_of(Node::kOpType, number);
      ops.push_back(new HostedOp<Node>(api, op_type, dtype, runtime));
    }
  }
  runtimes.emplace_back(api.table(), ops);
  return ops;
}

/// What the options of a session say under a key, or std::nullopt.
inline std::optional<std::string> config(const Api& api, const SessionOptions* options,
                                         const std::string& key) {
  int has = 0;
  check(api.has_config(options, key.c_str(), &has));
  if (has == 0) return std::nullopt;
  size_t size = 0;
  check(api.get_config(options, key.c_str(), nullptr, &size));
  std::string text(size, '\0');
  check(api.get_config(options, key.c_str(), text.data(), &size));
  text.resize(std::strlen(text.c_str()));
  return text;
}

/// A pointer that is written down in the options of a session, for registrations to come.
class Note {
 public:
  Note(const Api& api, SessionOptions* options, std::string key)
      : api_(api), options_(options), key_(std::move(key)) {}

  void* read() const {
    const auto text = config(api_, options_, key_);
    return text ? reinterpret_cast<void*>(std::strtoull(text->c_str(), nullptr, 16)) : nullptr;
  }

  void write(void* pointer) const {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%llx",
                  static_cast<unsigned long long>(reinterpret_cast<uintptr_t>(pointer)));
    check(api_.set_config(options_, key_.c_str(), text.data()));
  }

 private:
  Api api_;
  SessionOptions* options_;
  std::string key_;
};

/// Adds the ops to the options' domain. The runtime takes each domain only once, but several
/// libraries may have ops in it: so the first of them writes down which it is. Nobody can tell when
/// the options are gone, so the domain, a hundred bytes, stays.
inline void add_ops(const Api& api, SessionOptions* options, const std::string& domain_name,
                    const std::vector<const CustomOp*>& ops) {
  const Note note(api, options, "onnxop.domain." + domain_name);
  auto* domain = static_cast<CustomOpDomain*>(note.read());
  const bool is_new = domain == nullptr;
  if (is_new) check(api.create_domain(domain_name.c_str(), &domain));
  for (const CustomOp* op : ops) check(api.add_op(domain, op));
  if (is_new) {
    check(api.add_domain(options, domain));
    note.write(domain);
  }
}

/// Whether this library is to add its ops to the options' domain, to which it may have added them.
inline bool claim(const Api& api, SessionOptions* options, const std::string& domain,
                  const char* op_type) {
  static char library;  // its address stands for it
  const std::string node = domain + "::" + op_type;
  const Note note(api, options, "onnxop.node." + node);
  const void* const found = note.read();
  if (found == nullptr) note.write(&library);
  if (found != nullptr && found != &library) {
    fail(kName, ": the node ", node, " is registered already, by another library");
  }
  return found == nullptr;
}

/// A name that ONNX allows, and that is not one of ONNX's, ONNX Runtime's or PyTorch's.
inline void check_domain(std::string_view domain) {
  const auto is_word = [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
  };
  const auto may_follow = [&](char c) {
    return is_word(c) || (c >= '0' && c <= '9') || c == '.' || c == '-';
  };
  if (domain.empty() || !is_word(domain.front()) || !std::ranges::all_of(domain, may_follow)) {
    fail(kName, " cannot be served as a node of '", domain, "', which is no domain");
  }
  if (domain.starts_with("ai.onnx") || domain.starts_with("com.microsoft") || domain == "aten" ||
      domain == "prim" || domain == "onnx") {
    fail(kName, " cannot be served as a node of ", domain, ": the domain is not yours");
  }
}

/// The domains that the options of a session ask for beside the node's own: in the entry
/// "onnxop.domains." with the operator behind it, separated by commas, and in those with ".2",
/// ".3" and so on behind that, as far as there are any.
inline std::vector<std::string> domains_of(const Api& api, const SessionOptions* options,
                                           const char* own) {
  std::vector<std::string> domains{own};
  std::string key = std::string("onnxop.domains.").append(kName);
  const std::string first = key;
  for (int number = 2; const auto text = config(api, options, key); ++number) {
    std::istringstream words(*text);
    for (std::string domain; std::getline(words, domain, ',');) {
      check_domain(domain);
      domains.push_back(domain);
    }
    key = first + "." + std::to_string(number);
  }
  return domains;
}

/// Says that the runtime is too old, through the oldest API: there have always been statuses.
inline Status* refuse_runtime(const ApiBase& base) {
  for (uint32_t version = 1; version < kApiVersion; ++version) {
    Api::Table* const table = base.get_api(version);
    if (table == nullptr) continue;
    return guarded(Api(table), [&] {
      fail(kName, " needs ONNX Runtime 1.", kApiVersion, " or later, but this is ",
           base.get_version_string());
    });
  }
  return nullptr;
}

/// Adds the ops of one node to the options of a session, in each domain that is asked for.
template <typename Node, typename Supported>
Status* register_node(SessionOptions* options, const ApiBase& base) {
  Api::Table* const table = base.get_api(kApiVersion);
  if (table == nullptr) return refuse_runtime(base);
  const Api api(table);
  return guarded(api, [&] {
    const auto ops = ops_of<Node>(api, base.get_version_string(), Supported());
    for (const std::string& domain : domains_of(api, options, Node::kDomain)) {
      if (claim(api, options, domain, Node::kOpType)) add_ops(api, options, domain, ops);
    }
  });
}

}  // namespace op::ort
