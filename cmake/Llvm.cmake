# LLVM, MLIR and lld 22, linked as static component archives.
#
# Distributions export the MLIR libraries with a dependency on the LLVM shared library. Loading that next to another
# MLIR in one process (PyTorch brings Triton's) crashes, so the shared library is removed from every exported target
# and the component archives are linked instead.
find_package(MLIR 22.1 REQUIRED CONFIG HINTS /usr/lib/llvm-22/lib/cmake/mlir)
find_package(LLVM 22.1 REQUIRED CONFIG HINTS /usr/lib/llvm-22/lib/cmake/llvm)
find_package(LLD REQUIRED CONFIG HINTS /usr/lib/llvm-22/lib/cmake/lld)

list(APPEND CMAKE_MODULE_PATH ${MLIR_CMAKE_DIR} ${LLVM_CMAKE_DIR})
include(TableGen)
include(AddLLVM)
include(AddMLIR)

# LLVM's libraries may link only libraries that every machine has: code generation needs neither Z3 nor Polly, and the
# compression libraries have static archives.
find_library(HOCKET_ZLIB NAMES libz.a REQUIRED)
find_library(HOCKET_ZSTD NAMES libzstd.a REQUIRED)
foreach(target IN LISTS MLIR_EXPORTED_TARGETS LLVM_AVAILABLE_LIBS ITEMS lldCommon lldELF)
  if(NOT TARGET ${target})
    continue()
  endif()
  get_target_property(type ${target} TYPE)
  get_target_property(links ${target} INTERFACE_LINK_LIBRARIES)
  if(type STREQUAL "STATIC_LIBRARY" AND links)
    list(FILTER links EXCLUDE REGEX "^(LLVM|\\$<LINK_ONLY:LLVM>)$|libz3|^Polly")
    list(TRANSFORM links REPLACE "ZLIB::ZLIB" ${HOCKET_ZLIB})
    list(TRANSFORM links REPLACE "zstd::libzstd_shared" ${HOCKET_ZSTD})
    set_target_properties(${target} PROPERTIES INTERFACE_LINK_LIBRARIES "${links}")
  endif()
endforeach()

# Everything LLVM that the core needs, in one interface target.
llvm_map_components_to_libnames(HOCKET_LLVM_LIBS
  AMDGPUCodeGen AMDGPUAsmParser AMDGPUDesc AMDGPUInfo
  NVPTXCodeGen NVPTXDesc NVPTXInfo
  X86CodeGen X86AsmParser X86Desc X86Info
  OrcJIT JITLink Passes Core Support Target TransformUtils)
add_library(hocket_llvm INTERFACE)
target_link_libraries(hocket_llvm INTERFACE ${HOCKET_LLVM_LIBS})
target_include_directories(hocket_llvm SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS})
target_compile_definitions(hocket_llvm INTERFACE ${LLVM_DEFINITIONS_LIST})

add_library(hocket_mlir INTERFACE)
target_link_libraries(hocket_mlir INTERFACE
  MLIRIR MLIRParser MLIRPass MLIRTransforms MLIRTransformUtils
  MLIRArithDialect MLIRMathDialect MLIRSCFDialect MLIRControlFlowDialect MLIRFuncDialect MLIRUBDialect
  MLIRLLVMDialect MLIRNVVMDialect MLIRROCDLDialect
  MLIRArithTransforms MLIRMathTransforms MLIRSCFTransforms
  MLIRArithToLLVM MLIRMathToLLVM MLIRSCFToControlFlow MLIRControlFlowToLLVM MLIRFuncToLLVM MLIRUBToLLVM
  MLIRReconcileUnrealizedCasts
  MLIRTargetLLVMIRExport MLIRBuiltinToLLVMIRTranslation MLIRLLVMToLLVMIRTranslation
  MLIRNVVMToLLVMIRTranslation MLIRROCDLToLLVMIRTranslation
  hocket_llvm)
target_include_directories(hocket_mlir SYSTEM INTERFACE ${MLIR_INCLUDE_DIRS})

set(Boost_USE_STATIC_LIBS ON)
find_package(Boost 1.74 REQUIRED COMPONENTS context)
