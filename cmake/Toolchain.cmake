# Compiler and linker settings shared by every target.
if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  message(FATAL_ERROR "hocket builds with clang (precompiled headers with instantiated templates); "
                      "set CMAKE_CXX_COMPILER=clang++-22")
endif()
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
option(HOCKET_ASSERTIONS "Keep assert() in an optimised build" OFF)
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

add_compile_options(-Wall -Wextra -Wno-unused-parameter -ffunction-sections -fdata-sections)
add_link_options(-fuse-ld=lld -Wl,--gc-sections -Wl,--exclude-libs,ALL)
