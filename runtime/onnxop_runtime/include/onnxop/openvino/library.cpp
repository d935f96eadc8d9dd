// The host in OpenVINO: an extension for each op that creates its nodes, for ONNX models and OpenVINO's format.
#include <openvino/core/extension.hpp>
#include <openvino/core/op_extension.hpp>
#include <openvino/core/version.hpp>
#include <openvino/frontend/onnx/extension/conversion.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "node.h"

#define ONNXOP_TEXT(number) #number
#define ONNXOP_RELEASE(major, minor, patch) ONNXOP_TEXT(major) "." ONNXOP_TEXT(minor) "." ONNXOP_TEXT(patch)

namespace onnxop::openvino {
namespace {

/// A library works with one release, as OpenVINO's classes are compiled into it.
constexpr std::string_view kBuiltFor =
    "built for OpenVINO " ONNXOP_RELEASE(OPENVINO_VERSION_MAJOR, OPENVINO_VERSION_MINOR, OPENVINO_VERSION_PATCH);

std::vector<const Op*>& all_ops() {
  static auto& ops = *new std::vector<const Op*>;
  return ops;
}

/// Throws for a node of an earlier version than the kernel's. ONNX Runtime runs the function of such a node, but OpenVINO
/// has no functions. OpenVINO does not show the version of the domain that a model imports, so the node's attribute counts.
void check_earlier(const Op& op, const Attributes& attributes, const std::string& op_type) {
  const int64_t version = attributes.integer("onnxop_version", 1);
  if (version >= op.version) return;
  fail(op.name, ": the node is of version ", version, ", but this library, of ", op.package, ", computes version ",
       op.version, "; inline the node's function, by onnx.inliner.inline_selected_functions(model, [(\"", op.domain,
       "\", \"", op_type, "\")]), or use the library of the package that exported the model");
}

/// Creates the node of an ONNX model's node.
ov::OutputVector convert_node(const HostedOp& hosted, const ov::frontend::NodeContext& node) {
  const OnnxAttributes attributes(hosted.op.name, node);
  check_version(hosted.op, attributes);
  check_earlier(hosted.op, attributes, node.get_op_type());
  check_spelling(hosted.op, attributes);
  ov::OutputVector inputs;
  std::string kinds;
  for (size_t i = 0; i < node.get_input_size(); ++i) {
    const ov::Output<ov::Node> input = node.get_input(static_cast<int>(i));
    const bool is_present = input.get_node()->get_type_name() != std::string_view("NullNode");
    kinds += is_present ? '?' : '-';
    if (is_present) inputs.push_back(input);
  }
  return std::make_shared<HostedNode>(hosted, inputs, kinds, constants_of(hosted.op, attributes))->converted();
}

/// Creates the node of a node in OpenVINO's own format.
class Extension : public ov::BaseOpExtension {
 public:
  explicit Extension(const HostedOp& hosted) : hosted_(hosted) {}

  const ov::DiscreteTypeInfo& get_type_info() const override { return hosted_.type; }

  ov::OutputVector create(const ov::OutputVector& inputs, ov::AttributeVisitor& visitor) const override {
    const auto node = std::make_shared<HostedNode>(hosted_);
    node->set_arguments(inputs);
    node->visit_attributes(visitor);
    node->constructor_validate_and_infer_types();
    return node->outputs();
  }

  std::vector<ov::Extension::Ptr> get_attached_extensions() const override { return {}; }

 private:
  const HostedOp& hosted_;
};

}  // namespace
}  // namespace onnxop::openvino

void onnxop::add(const Op& op, const Boxed&, const char*, uint32_t) {
  openvino::all_ops().push_back(&op);
}

extern "C" __attribute__((visibility("default"))) void create_extensions(
    std::vector<ov::Extension::Ptr>& extensions) {
  using namespace onnxop;
  const std::string_view release = openvino::kBuiltFor.substr(openvino::kBuiltFor.rfind(' ') + 1);
  const std::string here = ov::get_openvino_version().buildNumber;
  if (here.substr(0, here.find('-')) != release) {
    fail("the library of ", openvino::all_ops().front()->package, " was ", openvino::kBuiltFor, ", but this is ", here,
         "; rebuild the package");
  }
  for (const Op* op : openvino::all_ops()) {
    // Until the process ends, because models may live so long.
    const auto& hosted = *new openvino::HostedOp(*op);
    extensions.push_back(std::make_shared<openvino::Extension>(hosted));
    const auto convert = [&hosted](const ov::frontend::NodeContext& node) {
      return openvino::convert_node(hosted, node);
    };
    for (int number = 1; number <= kVariants; ++number) {
      extensions.push_back(std::make_shared<ov::frontend::onnx::ConversionExtension>(
          variant_of(op->op_type, number), op->domain, convert));
    }
  }
}
