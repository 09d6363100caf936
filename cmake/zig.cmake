# A toolchain file: clang and libc++ as the package ziglang of PyPI has them, for an old C library and
# for other processors than this machine's. SIMPLEXBOOST_ZIG is the program, SIMPLEXBOOST_TARGET what to
# build for: x86_64-linux-gnu.2.28 by default, or aarch64-linux-gnu.2.28.
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES SIMPLEXBOOST_ZIG SIMPLEXBOOST_TARGET)
set(SIMPLEXBOOST_TARGET x86_64-linux-gnu.2.28 CACHE STRING "What zig builds for")
find_program(SIMPLEXBOOST_ZIG zig REQUIRED)
string(REGEX MATCH "^[^-]+" CMAKE_SYSTEM_PROCESSOR ${SIMPLEXBOOST_TARGET})
if(NOT CMAKE_SYSTEM_PROCESSOR STREQUAL CMAKE_HOST_SYSTEM_PROCESSOR)
  set(CMAKE_SYSTEM_NAME Linux)
endif()
set(CMAKE_EXE_LINKER_FLAGS_INIT -s)
set(zig ${CMAKE_CURRENT_LIST_DIR}/../scripts/release/zig)
set(CMAKE_C_COMPILER ${zig}-cc -target ${SIMPLEXBOOST_TARGET})
set(CMAKE_CXX_COMPILER ${zig}-clang++ -target ${SIMPLEXBOOST_TARGET})
foreach(language C CXX)
  set(CMAKE_${language}_COMPILER_AR ${zig}-ar)
  set(CMAKE_${language}_COMPILER_RANLIB ${zig}-ranlib)
endforeach()
