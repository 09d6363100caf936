# The libraries that everything is built with. With SIMPLEXBOOST_STATIC nothing is left to find at run
# time but the C library: fmt and toml++ are taken as headers alone, zlib as an archive. Wheels are
# built so (docs/release.md).
option(SIMPLEXBOOST_STATIC "Need no shared library at run time but the C library's" OFF)
# Where their headers and libz.a are, when not where the compiler looks; for other C libraries than
# this machine's, whose headers must not stand beside them.
set(SIMPLEXBOOST_LIBRARIES "" CACHE PATH "Folder with include/ and lib/ of the libraries")

# simplexboost_headers(TARGET HEADER [DEFINITION...]): a library of which only the headers are used.
function(simplexboost_headers target header)
  string(MAKE_C_IDENTIFIER "simplexboost_${target}_include" found)
  find_path(${found} ${header} REQUIRED HINTS ${SIMPLEXBOOST_LIBRARIES}/include
            NO_CMAKE_FIND_ROOT_PATH)
  mark_as_advanced(${found})
  add_library(${target} INTERFACE IMPORTED GLOBAL)
  target_include_directories(${target} SYSTEM INTERFACE ${${found}})
  target_compile_definitions(${target} INTERFACE ${ARGN})
endfunction()

find_package(Threads REQUIRED)
if(SIMPLEXBOOST_STATIC)
  set(ZLIB_USE_STATIC_LIBS ON)
  if(SIMPLEXBOOST_LIBRARIES)
    set(ZLIB_ROOT ${SIMPLEXBOOST_LIBRARIES})
  endif()
endif()
find_package(ZLIB REQUIRED)
if(SIMPLEXBOOST_STATIC)
  simplexboost_headers(fmt::fmt fmt/format.h FMT_HEADER_ONLY=1)
else()
  find_package(fmt REQUIRED)
endif()
if(SIMPLEXBOOST_COMMAND)
  if(SIMPLEXBOOST_STATIC)
    simplexboost_headers(CLI11::CLI11 CLI/CLI.hpp)
    simplexboost_headers(tomlplusplus::tomlplusplus toml++/toml.h TOML_HEADER_ONLY=1)
  else()
    find_package(CLI11 REQUIRED)
    find_package(tomlplusplus REQUIRED)
  endif()
  include(cmake/mpi.cmake)
endif()
