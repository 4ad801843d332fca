# Functions that the CMakeLists of csrc/ and tests/ are written in: hocket_library, hocket_tablegen, hocket_unit_test.
include(Tiers)

# hocket_library(<folder> TIER <tier> SOURCES <files> [DEPENDS <folders to the left>] [LINKS <other targets>]
#                [ALONE <files>])
# Unity builds compile several files at a time. Files after ALONE are compiled alone, because they define static names
# that other files of the library define, too (tools/check_static_names.py).
function(hocket_library name)
  cmake_parse_arguments(ARG "" "TIER" "SOURCES;DEPENDS;LINKS;ALONE" ${ARGN})
  add_library(hocket_${name} STATIC ${ARG_SOURCES})
  if(ARG_ALONE)
    set_source_files_properties(${ARG_ALONE} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  endif()
  hocket_use_tier(hocket_${name} ${ARG_TIER})
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
  add_dependencies(hocket_pch_hk ${target}) # the first tier that includes what is generated
endfunction()

# hocket_unit_test(<folder> TIER <tier> SOURCES <files> DEPENDS <folders>): one GoogleTest binary per folder of csrc/.
function(hocket_unit_test name)
  cmake_parse_arguments(ARG "" "TIER" "SOURCES;DEPENDS;LINKS" ${ARGN})
  find_package(GTest REQUIRED)
  add_executable(hocket_unit_${name} ${ARG_SOURCES})
  set_target_properties(hocket_unit_${name} PROPERTIES UNITY_BUILD OFF) # tests give their fixtures the same names
  hocket_use_tier(hocket_unit_${name} ${ARG_TIER})
  list(TRANSFORM ARG_DEPENDS PREPEND hocket_)
  target_link_libraries(hocket_unit_${name} PRIVATE ${ARG_DEPENDS} ${ARG_LINKS} GTest::gtest GTest::gtest_main)
  add_test(NAME unit_${name} COMMAND hocket_unit_${name})
endfunction()
