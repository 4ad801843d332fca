# Compiler and linker settings shared by every target.
if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  message(FATAL_ERROR "hocket builds with clang (precompiled headers with instantiated templates); "
                      "set CMAKE_CXX_COMPILER=clang++-22")
endif()
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
option(HOCKET_ASSERTIONS "Keep assert() in an optimized build" OFF)
if(HOCKET_ASSERTIONS)
  string(REPLACE "-DNDEBUG" "" CMAKE_CXX_FLAGS_RELEASE "${CMAKE_CXX_FLAGS_RELEASE}")
endif()

# ccache where it is installed. Precompiled headers are cached by content: without time stamps in them, and with the
# sloppiness that ccache asks for with them.
find_program(HOCKET_CCACHE ccache)
if(HOCKET_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${HOCKET_CCACHE})
  add_compile_options("SHELL:-Xclang -fno-pch-timestamp")
endif()

# A field that a designated initializer leaves out has the value that its declaration gives it.
add_compile_options(-Wall -Wextra -Wno-unused-parameter -Wno-missing-designated-field-initializers
                    -ffunction-sections -fdata-sections)

# Vectorization takes 3 % of the compiler's time and speeds up only the folders that turn it on (HOCKET_NUMERIC_LOOPS).
# Most code of dialects, conversions, bindings and tests is generated from templates and runs once per kernel at most:
# inlining less (HOCKET_INLINE_LESS) saves 5 to 20 % there.
add_compile_options(-fno-vectorize -fno-slp-vectorize)
set(HOCKET_NUMERIC_LOOPS -fvectorize -fslp-vectorize)
set(HOCKET_INLINE_LESS "SHELL:-mllvm -inline-threshold=75")
# Wheels and CI compile this number of files of a library at a time (CMAKE_UNITY_BUILD), which loads precompiled headers
# and instantiates templates once. Static names must therefore be unique among the files of a library; tests are
# compiled file by file.
set(CMAKE_UNITY_BUILD_BATCH_SIZE 8)
add_link_options(-fuse-ld=lld -Wl,--gc-sections -Wl,--exclude-libs,ALL)

# For wheels, which run on other people's machines: what makes mistakes with memory hard to exploit. A module with LLVM's
# archives, which lack it, is not marked for -fcf-protection as a whole. tools/check_wheel.py checks them.
set(hardened OFF)
if(SKBUILD)
  set(hardened ON)
endif()
option(HOCKET_HARDENED "Compile with stack protectors, checked library calls and control-flow protection" ${hardened})
if(HOCKET_HARDENED)
  add_compile_options(-fstack-protector-strong -fcf-protection=full -D_FORTIFY_SOURCE=2)
endif()

# Presets asan and tsan (make sanitize). The runtime is a shared library, so that Python can load it first; Debian's LLVM
# is not instrumented. Stacks of fibers are abandoned, so frames are not kept on a heap of their own until they return.
set(HOCKET_SANITIZER "" CACHE STRING "address (with undefined behavior), thread, or none")
set_property(CACHE HOCKET_SANITIZER PROPERTY STRINGS "" address thread)
if(HOCKET_SANITIZER)
  if(HOCKET_SANITIZER STREQUAL "address")
    set(runtime asan)
    set(sanitize -fsanitize=address,undefined -fno-sanitize=vptr,function -fno-sanitize-recover=undefined
                 -fsanitize-address-use-after-return=never)
  elseif(HOCKET_SANITIZER STREQUAL "thread")
    set(runtime tsan)
    set(sanitize -fsanitize=thread)
  else()
    message(FATAL_ERROR "HOCKET_SANITIZER is '${HOCKET_SANITIZER}'; it may be address or thread")
  endif()
  add_compile_options(${sanitize} -O1 -fno-omit-frame-pointer -gline-tables-only)
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} --print-file-name=libclang_rt.${runtime}-${CMAKE_SYSTEM_PROCESSOR}.so
                  OUTPUT_VARIABLE HOCKET_SANITIZER_RUNTIME OUTPUT_STRIP_TRAILING_WHITESPACE)
  set(HOCKET_SANITIZER_RUNTIME ${HOCKET_SANITIZER_RUNTIME} CACHE INTERNAL "what Python loads first")
  if(NOT EXISTS ${HOCKET_SANITIZER_RUNTIME})
    message(FATAL_ERROR "${HOCKET_SANITIZER_RUNTIME} is missing; on Debian, apt install libclang-rt-22-dev")
  endif()
  get_filename_component(folder ${HOCKET_SANITIZER_RUNTIME} DIRECTORY)
  add_link_options(${sanitize} -shared-libsan -Wl,-rpath,${folder})
endif()
