# Python's headers, and pybind11 as a copy in the build folder.
#
# The copy has one word more: error_already_set::what() is declared inline. pybind11 defines it inline but does not
# declare it so, which makes it the class's key function, and clang then writes the class's vtable, and through it half
# of pybind11, in every file that includes it: 3 s of each. (And a wheel's isolated build has pybind11 in a folder of a
# new name each time, which would keep ccache from finding anything.)
find_package(Python 3.10 REQUIRED COMPONENTS Interpreter Development.Module)
execute_process(COMMAND ${Python_EXECUTABLE} -m pybind11 --cmakedir
                OUTPUT_VARIABLE pybind11_ROOT OUTPUT_STRIP_TRAILING_WHITESPACE)
find_package(pybind11 2.13 REQUIRED CONFIG)

set(HOCKET_PYBIND11 ${PROJECT_BINARY_DIR}/pybind11)
file(COPY ${pybind11_INCLUDE_DIR}/pybind11 DESTINATION ${HOCKET_PYBIND11} PATTERN pytypes.h EXCLUDE)
file(READ ${pybind11_INCLUDE_DIR}/pybind11/pytypes.h pytypes)
string(REPLACE "    const char *what() const noexcept override;"
               "    inline const char *what() const noexcept override;" pytypes "${pytypes}")
file(CONFIGURE OUTPUT ${HOCKET_PYBIND11}/pybind11/pytypes.h CONTENT "${pytypes}" @ONLY)
set_target_properties(pybind11::pybind11_headers PROPERTIES INTERFACE_INCLUDE_DIRECTORIES ${HOCKET_PYBIND11})
