// All that a kernel written by hand needs: tensors, sizes, checks, threads.
//
// It has three functions in the operator's namespace, which its first version shows: infer(), which
// checks the arguments and says what comes out; compute(); and backward(), where it has gradients.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "cpu.h"
#include "infer.h"
#include "parallel.h"
#include "tensor.h"
