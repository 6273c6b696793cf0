# berth_module(NAME [DEPS ...] [TEST_DEPS ...] [EXCLUDE ...])
#
# Makes the library berth_NAME from every *.cc of the calling folder and, from its *_test.cc files, the test
# program NAME_test, whose cases are registered with ctest one by one. Linking is the layering: DEPS are the
# modules (berth_*) and outside libraries this folder may use. EXCLUDE names files that belong to neither.
include(GoogleTest)

function(berth_module name)
  cmake_parse_arguments(ARG "" "" "DEPS;TEST_DEPS;EXCLUDE" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS *.cc)
  foreach(excluded ${ARG_EXCLUDE})
    list(REMOVE_ITEM sources ${CMAKE_CURRENT_SOURCE_DIR}/${excluded})
  endforeach()
  set(tests ${sources})
  list(FILTER sources EXCLUDE REGEX "_test\\.cc$")
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")

  if(sources)
    add_library(berth_${name} STATIC ${sources})
    target_link_libraries(berth_${name} PUBLIC berth_flags ${ARG_DEPS})
  else()
    add_library(berth_${name} INTERFACE)
    target_link_libraries(berth_${name} INTERFACE berth_flags ${ARG_DEPS})
  endif()

  if(tests)
    add_executable(${name}_test ${tests})
    target_link_libraries(${name}_test PRIVATE berth_${name} ${ARG_TEST_DEPS} GTest::gmock GTest::gtest_main)
    gtest_discover_tests(${name}_test TEST_PREFIX ${name}. DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT 120)
  endif()
endfunction()
