# Functions that the CMakeLists of csrc/ and tests/ are written in.
#
# Precompiled headers are what keeps the build short: an MLIR file takes about 14 s without one and 1 s with it.
# Each tier is compiled once and reused by every library of the tier:
#   base     the standard library                 support, layout, target, runtime, third_party
#   llvm     LLVM IR, code generation, ORC        codegen
#   mlir     MLIR with the dialects in use        dialect, analysis, transforms, conversion, pipeline, emulator
#   python   mlir + pybind11                      frontend, bindings
add_library(hocket_options INTERFACE)
target_include_directories(hocket_options INTERFACE ${PROJECT_SOURCE_DIR}/csrc ${PROJECT_BINARY_DIR}/csrc)

function(_hocket_pch tier)
  file(WRITE ${PROJECT_BINARY_DIR}/pch/${tier}.cpp "// compiles the precompiled header of this tier\n")
  add_library(hocket_pch_${tier} OBJECT ${PROJECT_BINARY_DIR}/pch/${tier}.cpp)
  target_link_libraries(hocket_pch_${tier} PUBLIC hocket_options ${ARGN})
  target_compile_options(hocket_pch_${tier} PRIVATE -fpch-instantiate-templates)
  target_precompile_headers(hocket_pch_${tier} PRIVATE ${PROJECT_SOURCE_DIR}/cmake/pch/${tier}.h)
endfunction()

_hocket_pch(base)
_hocket_pch(llvm hocket_llvm)
_hocket_pch(mlir hocket_mlir)
find_package(Python 3.10 REQUIRED COMPONENTS Interpreter Development.Module)
execute_process(COMMAND ${Python_EXECUTABLE} -m pybind11 --cmakedir
                OUTPUT_VARIABLE pybind11_ROOT OUTPUT_STRIP_TRAILING_WHITESPACE)
find_package(pybind11 2.13 REQUIRED CONFIG)
_hocket_pch(python hocket_mlir pybind11::headers Python::Module)

function(_hocket_use_tier target tier)
  target_link_libraries(${target} PUBLIC hocket_options)
  if(tier STREQUAL "llvm")
    target_link_libraries(${target} PUBLIC hocket_llvm)
  elseif(tier STREQUAL "mlir")
    target_link_libraries(${target} PUBLIC hocket_mlir)
  elseif(tier STREQUAL "python")
    target_link_libraries(${target} PUBLIC hocket_mlir pybind11::headers Python::Module)
  endif()
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "EXECUTABLE")
    # The precompiled header is -fPIC; CMake would ask for -fPIE here, which clang refuses to combine with it.
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    target_compile_options(${target} PRIVATE -fPIC)
  endif()
  get_property(generated GLOBAL PROPERTY HOCKET_TABLEGEN_TARGETS)
  if(generated AND tier MATCHES "mlir|python")
    add_dependencies(${target} ${generated})
  endif()
  target_compile_options(${target} PRIVATE -fpch-instantiate-templates)
  target_precompile_headers(${target} REUSE_FROM hocket_pch_${tier})
endfunction()

# hocket_library(<folder> TIER <tier> SOURCES <files> [DEPENDS <folders to the left>] [LINKS <other targets>])
function(hocket_library name)
  cmake_parse_arguments(ARG "" "TIER" "SOURCES;DEPENDS;LINKS" ${ARGN})
  add_library(hocket_${name} STATIC ${ARG_SOURCES})
  _hocket_use_tier(hocket_${name} ${ARG_TIER})
  list(TRANSFORM ARG_DEPENDS PREPEND hocket_)
  target_link_libraries(hocket_${name} PUBLIC ${ARG_DEPENDS} ${ARG_LINKS})
endfunction()

# hocket_tablegen(<custom target> <file.td> <output.inc> <flags> ...): one generated file per (output, flags) pair.
function(hocket_tablegen target td)
  set(LLVM_TARGET_DEFINITIONS ${td})
  while(ARGN)
    list(POP_FRONT ARGN output)
    list(POP_FRONT ARGN flags)
    separate_arguments(flags)
    mlir_tablegen(${output} ${flags} EXTRA_INCLUDES ${PROJECT_SOURCE_DIR}/csrc ${MLIR_INCLUDE_DIRS})
  endwhile()
  add_public_tablegen_target(${target})
  set_property(GLOBAL APPEND PROPERTY HOCKET_TABLEGEN_TARGETS ${target})
endfunction()

# hocket_unit_test(<folder> TIER <tier> SOURCES <files> DEPENDS <folders>): one GoogleTest binary per folder of csrc/.
function(hocket_unit_test name)
  cmake_parse_arguments(ARG "" "TIER" "SOURCES;DEPENDS;LINKS" ${ARGN})
  find_package(GTest REQUIRED)
  add_executable(hocket_unit_${name} ${ARG_SOURCES})
  _hocket_use_tier(hocket_unit_${name} ${ARG_TIER})
  list(TRANSFORM ARG_DEPENDS PREPEND hocket_)
  target_link_libraries(hocket_unit_${name} PRIVATE ${ARG_DEPENDS} ${ARG_LINKS} GTest::gtest GTest::gtest_main)
  add_test(NAME unit_${name} COMMAND hocket_unit_${name})
endfunction()
