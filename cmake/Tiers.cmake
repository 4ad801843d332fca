# Tiers: what a library is compiled with and linked to, and the precompiled header that keeps the build short.
#
# The precompiled headers form a chain. Each tier includes what the tier before it does not, and is compiled once:
#
#   base -> mlir -> hk -> lowering -> python -> frontend
#      '--> llvm
#
#   base      the standard library           support, layout, target, runtime, third_party
#   llvm      LLVM IR, code generation, ORC  codegen, what the emulator runs on the CPU
#   mlir      MLIR and its dialects
#   hk        the neutral dialect            dialect, analysis, transforms
#   lowering  the vendors' and lane dialects conversion, pipeline, emulator
#   python    pybind11                       bindings
#   frontend  its values and emitter         frontend
#
# A tier marked CODE compiles the inline functions of its header once, into an object of its own; files that include
# the header inline them or call them there. Without it each of 80 files compiles most of pybind11 again.
function(_hocket_tier name)
  cmake_parse_arguments(ARG "CODE" "AFTER" "LINKS" ${ARGN})
  set(pch hocket_pch_${name})
  set(header ${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${pch}.dir/cmake_pch.hxx) # where CMake writes it
  set(code "") # the objects of this tier and of those before it

  add_library(hocket_tier_${name} INTERFACE)
  target_link_libraries(hocket_tier_${name} INTERFACE ${ARG_LINKS})

  file(CONFIGURE OUTPUT pch/${name}.cpp CONTENT "// compiles the precompiled header of this tier\n")
  add_library(${pch} OBJECT ${CMAKE_CURRENT_BINARY_DIR}/pch/${name}.cpp)
  target_link_libraries(${pch} PUBLIC hocket_tier_${name})
  target_compile_options(${pch} PRIVATE -fpch-instantiate-templates)
  target_precompile_headers(${pch} PRIVATE ${PROJECT_SOURCE_DIR}/cmake/pch/${name}.h)
  if(ARG_AFTER)
    target_link_libraries(hocket_tier_${name} INTERFACE hocket_tier_${ARG_AFTER})
    string(REPLACE "${pch}.dir" "hocket_pch_${ARG_AFTER}.dir" before ${header}.pch)
    target_compile_options(${pch} PRIVATE "SHELL:-Xclang -include-pch -Xclang ${before}")
    set_source_files_properties(${header}.cxx PROPERTIES OBJECT_DEPENDS ${before})
    add_dependencies(${pch} hocket_pch_${ARG_AFTER})
    get_target_property(code hocket_tier_${ARG_AFTER} HOCKET_CODE)
  endif()

  if(ARG_CODE)
    target_compile_options(${pch} PRIVATE "SHELL:-Xclang -fmodules-codegen")
    set(source ${CMAKE_CURRENT_BINARY_DIR}/pch/${name}.pch)
    add_custom_command(OUTPUT ${source} DEPENDS ${header}.pch
                       COMMAND ${CMAKE_COMMAND} -E create_symlink ${header}.pch ${source})
    set_source_files_properties(${source} PROPERTIES LANGUAGE CXX SKIP_UNITY_BUILD_INCLUSION ON)
    add_library(hocket_code_${name} STATIC ${source})
    target_compile_options(hocket_code_${name} PRIVATE "SHELL:-x none" -Wno-unused-command-line-argument)
    add_dependencies(hocket_code_${name} ${pch})
    list(PREPEND code hocket_code_${name})
  endif()
  set_target_properties(hocket_tier_${name} PROPERTIES HOCKET_CODE "${code}")
endfunction()

# hocket_use_tier(<target> <tier>): compiles the target with the tier's header and links it to the tier's libraries.
function(hocket_use_tier target tier)
  get_target_property(code hocket_tier_${tier} HOCKET_CODE)
  target_link_libraries(${target} PUBLIC hocket_tier_${tier} ${code})
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "EXECUTABLE")
    # The precompiled header is -fPIC; CMake would ask for -fPIE here, which clang refuses to combine with it.
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    target_compile_options(${target} PRIVATE -fPIC)
  endif()
  target_compile_options(${target} PRIVATE -fpch-instantiate-templates)
  target_precompile_headers(${target} REUSE_FROM hocket_pch_${tier})
endfunction()

add_library(hocket_options INTERFACE)
target_include_directories(hocket_options INTERFACE ${PROJECT_SOURCE_DIR}/csrc ${PROJECT_BINARY_DIR}/csrc)

_hocket_tier(base LINKS hocket_options)
_hocket_tier(llvm AFTER base LINKS hocket_llvm)
_hocket_tier(mlir AFTER base LINKS hocket_mlir)
_hocket_tier(hk AFTER mlir)
_hocket_tier(lowering AFTER hk)
_hocket_tier(python AFTER lowering LINKS pybind11::headers Python::Module CODE)
_hocket_tier(frontend AFTER python CODE)
