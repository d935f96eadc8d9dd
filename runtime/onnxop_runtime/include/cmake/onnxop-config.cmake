# find_package(onnxop): the library for ONNX Runtime of a package, built without Python or PyTorch.
get_filename_component(onnxop_INCLUDE_DIR "${CMAKE_CURRENT_LIST_DIR}/.." ABSOLUTE)

# onnxop_add_library(my_add csrc/my_add.cpp) adds the target my_add, which is libmy_add_onnxruntime.so.
function(onnxop_add_library package)
  set(host "${onnxop_INCLUDE_DIR}/onnxop/onnxruntime")
  file(STRINGS "${host}/library.flags" compiled REGEX "^-(O|f[^P])")
  file(STRINGS "${host}/library.flags" linked REGEX "^-(static|Wl)")
  add_library(${package} SHARED ${ARGN} "${host}/library.cpp")
  set_target_properties(${package} PROPERTIES
    OUTPUT_NAME ${package}_onnxruntime NO_SONAME ON POSITION_INDEPENDENT_CODE ON
    CXX_STANDARD 20 CXX_STANDARD_REQUIRED ON CXX_EXTENSIONS OFF
    LINK_DEPENDS "${host}/library.map")
  target_include_directories(${package} PRIVATE "${onnxop_INCLUDE_DIR}")
  target_compile_options(${package} PRIVATE ${compiled})
  target_link_options(${package} PRIVATE
    ${linked} -Wl,-s "-Wl,--version-script=${host}/library.map")
endfunction()
