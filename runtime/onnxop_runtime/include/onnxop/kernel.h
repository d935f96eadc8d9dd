// The headers for a kernel written by hand: tensors, sizes, checks, threads.
//
// A kernel has three functions in the operator's namespace, as in its skeleton: infer(), which checks the
// arguments and returns the outputs' dtypes and sizes; compute(); and backward(), if it has gradients.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "cpu.h"
#include "infer.h"
#include "tensor.h"
#include "worker.h"
