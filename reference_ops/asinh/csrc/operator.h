// What messages call the operator.
#pragma once

#include <string_view>

namespace op {

inline constexpr std::string_view kName = "asinh::asinh";

}  // namespace op
