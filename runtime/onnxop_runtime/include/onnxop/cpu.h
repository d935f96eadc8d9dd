// Compilation of loops for several CPUs.
#pragma once

#include <cstdint>

// Marks a function of elements, which CPUs and GPUs run.
#if defined(__CUDACC__)
#define ONNXOP_DEVICE __host__ __device__
#else
#define ONNXOP_DEVICE
#endif

// Marks a function to be compiled for each level of x86-64 in one binary; the loader (glibc's) picks the
// CPU's level. Elsewhere, and with -DONNXOP_EACH_CPU=, it is compiled once, by the compiler's flags.
// It is static: g++ 14.2 ends with an internal error on a template that other files could share, if one of its
// arguments is a lambda of a generic lambda.
#if !defined(__CUDACC__) && defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) && \
    __GNUC__ >= 12
#define ONNXOP_HAS_EACH_CPU
#ifndef ONNXOP_EACH_CPU
#define ONNXOP_EACH_CPU static __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#endif
#elif !defined(ONNXOP_EACH_CPU)
#define ONNXOP_EACH_CPU
#endif
