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
  # CMake leaves lines alone that begin with a space.
  message(FATAL_ERROR " hocket is built with LLVM 22 of the system, and this is missing: ${missing}. Run `make setup` in "
                      "the checkout (Debian 12, Ubuntu 24.04), or install a wheel instead.")
endif()
