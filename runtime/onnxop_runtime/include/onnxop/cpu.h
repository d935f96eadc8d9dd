// How loops are compiled for the CPUs that there are.
#pragma once

#include <cstdint>

// Put before a function, it makes one binary for every x86-64: the loops are compiled for each
// level, and the loader picks the one the CPU has. This needs the loader's help (glibc). Elsewhere
// the compiler's flags decide, and the code is the same. -DONNXOP_EACH_CPU= has them decide, too.
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) && \
    __GNUC__ >= 12
#define ONNXOP_HAS_EACH_CPU
#ifndef ONNXOP_EACH_CPU
#define ONNXOP_EACH_CPU __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#endif
#elif !defined(ONNXOP_EACH_CPU)
#define ONNXOP_EACH_CPU
#endif
