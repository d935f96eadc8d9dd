// What messages call the operator.
#pragma once

#include <string_view>

namespace op {

inline constexpr std::string_view kName = "deform_conv2d::deform_conv2d";

}  // namespace op
