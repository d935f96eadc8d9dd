// A node's attributes, as the arguments of the operator that are not tensors.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
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

/// In which attribute an argument's value comes, and in which C++ type it is read from there. ONNX
/// has no booleans and no doubles.
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

/// ONNX's word.
constexpr std::string_view name(AttributeType type) {
  constexpr std::string_view kNames[] = {"INT", "INTS", "FLOAT", "FLOATS", "STRING"};
  return kNames[static_cast<size_t>(type) - 1];
}

}  // namespace detail

/// The attributes of a node, wherever its runtime shows them.
class Attributes {
 public:
  explicit Attributes(std::string_view op) : op_(op) {}
  virtual ~Attributes() = default;

  /// Of any name, argument or not.
  virtual bool has(const char* name) const = 0;

  /// The number of an attribute that is none of the arguments.
  int64_t integer(const char* name, int64_t otherwise) const {
    int64_t value = 0;
    return read(name, value) ? value : otherwise;
  }

  /// The argument's value or, where the node does not have the attribute, its default.
  Constant value(const Argument& argument) const {
    const char* const name = argument.name;
    if (!has(name)) {
      if (argument.is_optional) return None();
      if (argument.is_required()) fail(op_, ": the node must have the attribute ", name);
      return constant_of(argument.otherwise);
    }
    switch (argument.kind) {
      case Kind::integer:
      case Kind::size:
        if (argument.is_list) return list<std::vector<int64_t>>(argument);
        return get<int64_t>(name);
      case Kind::real:
        if (argument.is_list) return exact(name, list<std::vector<double>>(argument));
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
    fail(op_, ": the argument ", name, " is no attribute");
  }

 protected:
  // False where the attribute is of another type. The runtime may then give a list or a string all
  // the same, an empty one.
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

  /// A Scalar's attribute is of the type that its value has.
  Scalar number(const char* name) const {
    if (int64_t integer = 0; read(name, integer)) return integer;
    if (float real = 0; read(name, real)) return exact(name, {real}).front();
    fail(op_, ": the attribute ", name, " must be of type INT or FLOAT");
  }

  /// The numbers themselves, where the node has them beside what FLOAT rounds them to: as text, for of
  /// doubles the runtime shows none while shapes are inferred.
  std::vector<double> exact(const char* name, std::vector<double> numbers) const {
    const std::string beside = std::string("onnxop_float64_") + name;
    if (!has(beside.c_str())) return numbers;
    const auto text = get<std::string>(beside.c_str());
    const char* place = text.data();
    bool is_right = true;
    for (double& number : numbers) {
      const auto rounded = static_cast<float>(number);
      if (place != text.data() && *place == ' ') ++place;
      const auto found = std::from_chars(place, text.data() + text.size(), number);
      place = found.ptr;
      const bool is_same = static_cast<float>(number) == rounded || number != number;
      is_right = is_right && found.ec == std::errc() && is_same;
    }
    if (is_right && place == text.data() + text.size()) return numbers;
    fail(op_, ": the attribute ", beside, " must hold what ", name, " rounds to float32, but is '", text, "'");
  }

  template <typename T>
  T list(const Argument& argument) const {
    T items = get<T>(argument.name);
    if (argument.length != 0 && argument.length != items.size()) {
      fail(op_, ": the attribute ", argument.name, " must have ", argument.length,
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

/// What a name is likely to be misspelt as: in other letters, with one too few, one twice, or two in turn.
inline std::vector<std::string> misspellings(const std::string& name) {
  const auto upper = [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; };
  std::string capitals, camel;
  for (size_t i = 0; i < name.size(); ++i) {
    capitals += upper(name[i]);
    if (name[i] != '_') camel += i > 0 && name[i - 1] == '_' ? upper(name[i]) : name[i];
  }
  std::vector<std::string> found{capitals, camel, camel, name, name + "s"};
  for (std::string* word : {&found[2], &found[3]}) (*word)[0] = upper((*word)[0]);
  for (size_t i = 0; i < name.size(); ++i) {
    found.push_back(std::string(name).erase(i, 1));
    found.push_back(std::string(name).insert(i, 1, name[i]));
    if (i > 0) found.push_back(name.substr(0, i - 1) + name[i] + name[i - 1] + name.substr(i + 1));
  }
  return found;
}

/// Refuses what is nearly an attribute that the node lacks. Runtimes tell no library which attributes a
/// node has, and take any: so names are asked for.
inline void check_spelling(const Op& op, const Attributes& attributes) {
  const auto is_known = [&](std::string_view word) {
    return std::ranges::any_of(op.arguments, [&](const Argument& each) { return each.name == word; });
  };
  for (const Argument& argument : op.arguments) {
    if (argument.is_tensor() || attributes.has(argument.name)) continue;
    for (const std::string& word : misspellings(argument.name)) {
      if (word.empty() || is_known(word) || !attributes.has(word.c_str())) continue;
      fail(op.name, ": the node has the attribute ", word, ", which is none; did you mean ", argument.name, "?");
    }
  }
}

/// The arguments that are attributes of a node, in their places among all.
inline std::vector<Constant> constants_of(const Op& op, const Attributes& attributes) {
  std::vector<Constant> constants;
  for (const Argument& argument : op.arguments) {
    constants.push_back(argument.is_tensor() ? None() : attributes.value(argument));
  }
  return constants;
}

/// Refuses a node that means what it came to mean after this kernel. Nodes of the first version do not
/// say theirs.
inline void check_version(const Op& op, const Attributes& attributes) {
  const int64_t version = attributes.integer("onnxop_version", 1);
  if (version > op.version) {
    fail(op.name, ": the node is of version ", version, ", but this library, of ", op.package,
         ", knows version ", op.version, "; take that of the package which exported the model");
  }
}

/// Nodes of one model whose function bodies differ are told apart by their op types: these are all
/// the same op. How many it knows: every session takes ten microseconds and 3 kB for each and dtype, and bodies differ
/// rarely where there are no numbers to differ by. Exporters write the functions of more of them under
/// names that it does not know, and say so.
inline int variants_of(const Op& op) {
  const auto is_given = [](const Argument& argument) {
    return argument.is_tensor() && !argument.is_optional && !argument.is_list;
  };
  return std::ranges::all_of(op.arguments, is_given) ? 32 : 128;
}

inline std::string variant_of(const std::string& op_type, int number) {
  return number == 1 ? op_type : op_type + "_variant_" + std::to_string(number);
}

}  // namespace onnxop
