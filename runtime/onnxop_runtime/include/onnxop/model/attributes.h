// A node's attributes: the operator's arguments that are not tensors.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

#include "../values.h"

namespace onnxop {

/// ONNX's types of attributes, by ONNX Runtime's numbers.
enum class AttributeType : int32_t {
  integer = 1,
  integers = 2,
  real = 3,
  reals = 4,
  text = 5,
};

namespace detail {

/// The type of an argument's attribute, and the C++ type in which it is read. ONNX has no booleans and
/// no doubles.
template <AttributeType kType, typename T>
struct Stored {
  static constexpr AttributeType type = kType;
  using Type = T;
};
template <typename T>
struct StoredAs;
template <>
struct StoredAs<int64_t> : Stored<AttributeType::integer, int64_t> {};
template <>
struct StoredAs<bool> : Stored<AttributeType::integer, int64_t> {};
template <>
struct StoredAs<double> : Stored<AttributeType::real, float> {};
template <>
struct StoredAs<std::string> : Stored<AttributeType::text, std::string> {};
template <>
struct StoredAs<std::vector<int64_t>>
    : Stored<AttributeType::integers, std::vector<int64_t>> {};
template <>
struct StoredAs<std::vector<double>> : Stored<AttributeType::reals, std::vector<float>> {};

/// Returns ONNX's name.
constexpr std::string_view name(AttributeType type) {
  constexpr std::string_view kNames[] = {"INT", "INTS", "FLOAT", "FLOATS", "STRING"};
  return kNames[static_cast<size_t>(type) - 1];
}

}  // namespace detail

/// The attributes of a node, from any runtime's interface.
class Attributes {
 public:
  explicit Attributes(std::string_view op) : op_(op) {}
  virtual ~Attributes() = default;

  /// Returns whether the node has an attribute, an argument or not.
  virtual bool has(const char* name) const = 0;

  /// Returns the number in an attribute that is not an argument.
  int64_t integer(const char* name, int64_t default_value) const {
    int64_t value = 0;
    return read(name, value) ? value : default_value;
  }

  /// Returns the argument's value, or its default if the node lacks the attribute.
  Constant value(const Argument& argument) const {
    const char* const name = argument.name;
    if (!has(name)) {
      if (argument.type.is_optional) return None();
      if (argument.is_required()) fail(op_, ": the node must have the attribute ", name);
      return constant_of(argument.default_value);
    }
    switch (argument.type.kind) {
      case Kind::integer:
      case Kind::size:
        if (argument.type.is_list) return list<std::vector<int64_t>>(argument);
        return get<int64_t>(name);
      case Kind::real:
        if (argument.type.is_list) return exact(name, list<std::vector<double>>(argument));
        return exact(name, {get<double>(name)}).front();
      case Kind::number:
        return number(name);
      case Kind::boolean:
        return get<bool>(name);
      case Kind::text:
        return get<std::string>(name);
      case Kind::tensor:
        break;
    }
    fail(op_, ": the argument ", name, " is an input of the node, not an attribute");
  }

 protected:
  // Return false if the attribute has another type. The runtime may still give an empty list or
  // string.
  virtual bool read(const char* name, int64_t& value) const = 0;
  virtual bool read(const char* name, float& value) const = 0;
  virtual bool read(const char* name, std::string& value) const = 0;
  virtual bool read(const char* name, std::vector<int64_t>& value) const = 0;
  virtual bool read(const char* name, std::vector<float>& value) const = 0;

 private:
  template <typename T>
  T get(const char* name) const {
    using Stored = detail::StoredAs<T>;
    check_type(name, Stored::type);
    typename Stored::Type stored{};
    if (!read(name, stored)) fail_to_read(name, Stored::type);
    if constexpr (std::is_scalar_v<T>) {
      return static_cast<T>(stored);
    } else {
      return T(stored.begin(), stored.end());
    }
  }

  /// The attribute of a Scalar has the type of its value.
  Scalar number(const char* name) const {
    if (int64_t integer = 0; read(name, integer)) return integer;
    if (float real = 0; read(name, real)) return exact(name, {real}).front();
    fail(op_, ": the attribute ", name, " must be of type INT or FLOAT");
  }

  /// Returns the exact numbers if the node has them, in addition to those rounded to FLOAT. They are text, as
  /// the runtime gives no doubles during shape inference.
  std::vector<double> exact(const char* name, std::vector<double> numbers) const {
    const std::string exact_name = std::string("onnxop_float64_") + name;
    if (!has(exact_name.c_str())) return numbers;
    const auto text = get<std::string>(exact_name.c_str());
    const char* place = text.data();
    bool is_right = true;
    for (double& number : numbers) {
      const auto rounded = static_cast<float>(number);
      if (place != text.data() && *place == ' ') ++place;
      const auto parsed = std::from_chars(place, text.data() + text.size(), number);
      place = parsed.ptr;
      const bool is_same = static_cast<float>(number) == rounded || number != number;
      is_right = is_right && parsed.ec == std::errc() && is_same;
    }
    if (is_right && place == text.data() + text.size()) return numbers;
    fail(op_, ": the attribute ", exact_name, " must be the numbers that round to ", name, " in float32, but is '",
         text, "'");
  }

  template <typename T>
  T list(const Argument& argument) const {
    T items = get<T>(argument.name);
    if (argument.type.length != 0 && argument.type.length != items.size()) {
      fail(op_, ": the attribute ", argument.name, " must have ", argument.type.length,
           " numbers, not ", items.size());
    }
    return items;
  }

  template <typename T>
  bool is(const char* name) const {
    T value{};
    if (!read(name, value)) return false;
    if constexpr (std::is_scalar_v<T>) {
      return true;
    } else {
      return !value.empty();
    }
  }

  [[noreturn]] void fail_to_read(const char* name, AttributeType type) const {
    fail(op_, ": the attribute ", name, " must be of type ", detail::name(type));
  }

  void check_type(const char* name, AttributeType type) const {
    const bool is_other = (type != AttributeType::integer && is<int64_t>(name)) ||
                          (type != AttributeType::real && is<float>(name)) ||
                          (type != AttributeType::text && is<std::string>(name)) ||
                          (type != AttributeType::integers && is<std::vector<int64_t>>(name)) ||
                          (type != AttributeType::reals && is<std::vector<float>>(name));
    if (is_other) fail_to_read(name, type);
  }

  std::string_view op_;
};

/// Returns an ASCII letter as a capital, and other characters as they are.
inline char capital_of(char c) {
  const bool is_small = c >= 'a' && c <= 'z';
  return is_small ? static_cast<char>(c - 'a' + 'A') : c;
}

/// Returns a name, `my_name`, in other cases: `MY_NAME`, `myName`, `MyName` and `My_name`.
inline std::vector<std::string> in_other_cases(const std::string& name) {
  std::string capitals, camel;
  for (size_t i = 0; i < name.size(); ++i) {
    capitals += capital_of(name[i]);
    const bool begins_word = i > 0 && name[i - 1] == '_';
    if (name[i] != '_') camel += begins_word ? capital_of(name[i]) : name[i];
  }
  const auto with_capital = [](std::string word) {
    word[0] = capital_of(word[0]);
    return word;
  };
  return {capitals, camel, with_capital(camel), with_capital(name)};
}

/// Returns likely misspellings of a name: in another case, as a plural, with a letter missing,
/// doubled, or swapped with the one before.
inline std::vector<std::string> misspellings(const std::string& name) {
  std::vector<std::string> spellings = in_other_cases(name);
  spellings.push_back(name + "s");
  for (size_t i = 0; i < name.size(); ++i) {
    spellings.push_back(std::string(name).erase(i, 1));
    spellings.push_back(std::string(name).insert(i, 1, name[i]));
  }
  for (size_t i = 1; i < name.size(); ++i) {
    std::string swapped = name;
    std::swap(swapped[i - 1], swapped[i]);
    spellings.push_back(swapped);
  }
  return spellings;
}

/// Throws for a misspelt attribute. Runtimes accept any attribute, and do not list the attributes of a node, so
/// this looks for likely misspellings of those that are missing.
inline void check_spelling(const Op& op, const Attributes& attributes) {
  const auto is_known = [&](std::string_view word) {
    return std::ranges::any_of(op.arguments, [&](const Argument& each) { return each.name == word; });
  };
  for (const Argument& argument : op.arguments) {
    if (argument.is_tensor() || attributes.has(argument.name)) continue;
    for (const std::string& word : misspellings(argument.name)) {
      if (word.empty() || is_known(word) || !attributes.has(word.c_str())) continue;
      fail(op.name, ": the node has the attribute ", word, ", which the op does not have; did you mean ",
           argument.name, "?");
    }
  }
}

/// Returns the arguments that are attributes of a node, at their places among all arguments.
inline std::vector<Constant> constants_of(const Op& op, const Attributes& attributes) {
  std::vector<Constant> constants;
  for (const Argument& argument : op.arguments) {
    constants.push_back(argument.is_tensor() ? None() : attributes.value(argument));
  }
  return constants;
}

/// Throws for a node of a later version than this kernel. Nodes of version 1 have no version
/// attribute.
inline void check_version(const Op& op, const Attributes& attributes) {
  const int64_t version = attributes.integer("onnxop_version", 1);
  if (version > op.version) {
    fail(op.name, ": the node is of version ", version, ", but this library, of ", op.package,
         ", supports version ", op.version, "; use the library of the package that exported the model");
  }
}

/// The number of op types for one op: nodes of a model whose function bodies differ in more than the values of
/// attributes have different op types. Each costs a session ten microseconds and 3 kB per dtype. Exporters
/// give further functions names that the library does not serve, with a warning.
inline constexpr int kVariants = 32;

inline std::string variant_of(const std::string& op_type, int number) {
  return number == 1 ? op_type : op_type + "_variant_" + std::to_string(number);
}

}  // namespace onnxop
