// What messages call the operator.
#pragma once

#include <string_view>

namespace op {

inline constexpr std::string_view kName = "my_lib::my_add";

}  // namespace op
