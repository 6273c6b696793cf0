# Flags every target of the project is compiled with.
add_library(berth_flags INTERFACE)
target_compile_options(berth_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Werror)
target_include_directories(berth_flags INTERFACE ${CMAKE_SOURCE_DIR}/src)
# Boost and friends are system headers: their warnings are not ours to mend.
target_compile_definitions(berth_flags INTERFACE
  BOOST_ASIO_RECYCLING_ALLOCATOR_CACHE_SIZE=16  # the default of 2 frames a thread is too few for nested coroutines
  SPDLOG_FMT_EXTERNAL)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # gcc 12 reports these wrongly inside Asio's coroutine frames and std::string.
  target_compile_options(berth_flags INTERFACE -Wno-mismatched-new-delete -Wno-restrict -Wno-maybe-uninitialized
    -Wno-array-bounds -Wno-stringop-overflow -Wno-tsan)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  # libstdc++ 12 calls its own deprecated get_temporary_buffer from std::stable_sort.
  target_compile_options(berth_flags INTERFACE -Wno-deprecated-declarations)
endif()
