// A node's attributes in ONNX Runtime.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "../model/attributes.h"
#include "abi.h"
#include "tensor.h"

namespace onnxop::ort {

namespace detail {

/// Some getters count a string's final null, some only in older releases.
inline void drop_end(std::string& text) {
  if (text.ends_with('\0')) text.pop_back();
}

}  // namespace detail

/// While a kernel is created.
class KernelAttributes : public Attributes {
 public:
  KernelAttributes(std::string_view op, const Api& api, const KernelInfo* info)
      : Attributes(op), api_(api), info_(info) {}

  bool has(const char* name) const override {
    // The getter for integers returns none if the type is another.
    size_t size = 0;
    return succeeds(api_, api_.get_attribute(info_, name, static_cast<int64_t*>(nullptr), &size));
  }

 protected:
  bool read(const char* name, int64_t& value) const override {
    return succeeds(api_, api_.get_attribute(info_, name, &value));
  }
  bool read(const char* name, float& value) const override {
    return succeeds(api_, api_.get_attribute(info_, name, &value));
  }
  bool read(const char* name, std::string& value) const override {
    if (!read_all<char>(name, value)) return false;
    detail::drop_end(value);
    return true;
  }
  bool read(const char* name, std::vector<int64_t>& value) const override {
    return read_all<int64_t>(name, value);
  }
  bool read(const char* name, std::vector<float>& value) const override {
    return read_all<float>(name, value);
  }

 private:
  template <typename Item, typename List>
  bool read_all(const char* name, List& list) const {
    size_t size = 0;
    Item* const nowhere = nullptr;
    if (!succeeds(api_, api_.get_attribute(info_, name, nowhere, &size))) return false;
    list.resize(size);
    return size == 0 || succeeds(api_, api_.get_attribute(info_, name, list.data(), &size));
  }

  Api api_;
  const KernelInfo* info_;
};

/// While shapes are inferred.
class InferenceAttributes : public Attributes {
 public:
  InferenceAttributes(std::string_view op, const Api& api, const ShapeInferContext* context)
      : Attributes(op), api_(api), context_(context) {}

  bool has(const char* name) const override { return find(name) != nullptr; }

 protected:
  bool read(const char* name, int64_t& value) const override {
    size_t size = 0;
    return succeeds(api_, api_.read_attribute(find(name), AttributeType::integer, &value,
                                              sizeof(value), &size));
  }
  bool read(const char* name, float& value) const override {
    size_t size = 0;
    return succeeds(api_, api_.read_attribute(find(name), AttributeType::real, &value,
                                              sizeof(value), &size));
  }
  bool read(const char* name, std::string& value) const override {
    if (!read_all<char>(name, AttributeType::text, value)) return false;
    detail::drop_end(value);
    return true;
  }
  bool read(const char* name, std::vector<int64_t>& value) const override {
    return read_all<int64_t>(name, AttributeType::integers, value);
  }
  bool read(const char* name, std::vector<float>& value) const override {
    return read_all<float>(name, AttributeType::reals, value);
  }

 private:
  const OpAttribute* find(const char* name) const {
    const OpAttribute* attribute = nullptr;
    return succeeds(api_, api_.get_attribute(context_, name, &attribute)) ? attribute : nullptr;
  }

  template <typename Item, typename List>
  bool read_all(const char* name, AttributeType type, List& list) const {
    const OpAttribute* const attribute = find(name);
    size_t bytes = 0;
    // Without capacity this fails, but returns the required size.
    if (succeeds(api_, api_.read_attribute(attribute, type, nullptr, 0, &bytes))) return true;
    list.resize(bytes / sizeof(Item));
    return succeeds(api_, api_.read_attribute(attribute, type, list.data(), bytes, &bytes));
  }

  Api api_;
  const ShapeInferContext* context_;
};

}  // namespace onnxop::ort
