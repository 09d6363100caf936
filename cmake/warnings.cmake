# An interface target that turns all warnings on, and into errors.
add_library(simplexboost_warnings INTERFACE)
target_compile_options(simplexboost_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wold-style-cast
  -Wnon-virtual-dtor -Woverloaded-virtual -Wcast-align -Wunused
  -Wformat=2 -Wimplicit-fallthrough
  # GCC 12 reports "literal" + string as overlapping (GCC bug 105651).
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
  $<$<BOOL:${SIMPLEXBOOST_WERROR}>:-Werror>)
