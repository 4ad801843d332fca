# Says in one line what is missing, before CMake says it in many. `pip install .` ends with this line.
if(CMAKE_CXX_COMPILER)
  find_program(compiler ${CMAKE_CXX_COMPILER} NO_CACHE)
  if(NOT compiler)
    list(APPEND missing ${CMAKE_CXX_COMPILER})
  endif()
endif()
foreach(package mlir/MLIRConfig llvm/LLVMConfig lld/LLDConfig)
  get_filename_component(folder ${package} DIRECTORY)
  get_filename_component(file ${package} NAME)
  string(REPLACE Config _DIR variable ${file})
  unset(found)
  find_file(found ${file}.cmake NO_CACHE
            HINTS ${${variable}} ${CMAKE_PREFIX_PATH}/lib/cmake/${folder} /usr/lib/llvm-22/lib/cmake/${folder})
  if(NOT found)
    list(APPEND missing "${folder} 22")
  endif()
endforeach()
if(missing)
  list(JOIN missing ", " missing)
  # CMake leaves lines alone that begin with a space. docs/install.md has the same packages.
  message(FATAL_ERROR " hocket is compiled with LLVM 22, of which ${missing} was not found. Install it: "
                      "apt-get install clang-22 lld-22 llvm-22-dev libmlir-22-dev mlir-22-tools liblld-22-dev "
                      "libboost-context-dev zlib1g-dev libzstd-dev (Debian 12; https://apt.llvm.org has LLVM 22 for "
                      "other releases), or install a wheel of hocket, which needs none of these.")
endif()
