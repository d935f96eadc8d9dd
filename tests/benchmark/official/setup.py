"""PyTorch's own template for an op in C++, without onnxop: one op, with its gradients."""

from setuptools import find_packages, setup
from torch.utils.cpp_extension import BuildExtension, CppExtension

setup(
    name="official_add",
    version="0.1.0",
    packages=find_packages(),
    ext_modules=[
        CppExtension(
            "official_add._C",
            ["csrc/official_add.cpp"],
            extra_compile_args={"cxx": ["-O3", "-fdiagnostics-color=always"]},
        )
    ],
    cmdclass={"build_ext": BuildExtension},
)
