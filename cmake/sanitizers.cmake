# SIMPLEXBOOST_SANITIZE applies to everything, so that no half of the program goes unseen.
# Sets sanitizer_environment: the environment variable with which sanitized tests run.
set(sanitizer_environment "")
if(SIMPLEXBOOST_SANITIZE)
  add_compile_options(-fsanitize=${SIMPLEXBOOST_SANITIZE} -fno-sanitize-recover=all
                      -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${SIMPLEXBOOST_SANITIZE})
endif()

# The thread sanitizer does not see the barriers inside the OpenMP runtime, which is not
# instrumented, and would report every parallel loop. Archer, a library beside LLVM's OpenMP runtime
# that loads itself into sanitized programs, tells it of them; what is reported then is a race of
# ours. tests/sanitizers/ checks that both halves hold.
if(SIMPLEXBOOST_SANITIZE STREQUAL "thread")
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "the thread sanitizer needs clang++: GCC's OpenMP runtime cannot tell it "
                        "of its barriers; use the preset tsan")
  endif()
  string(REGEX MATCH "^[0-9]+" clang_major ${CMAKE_CXX_COMPILER_VERSION})
  find_library(ARCHER_LIBRARY archer HINTS /usr/lib/llvm-${clang_major}/lib REQUIRED)
  set(sanitizer_environment "TSAN_OPTIONS=ignore_noninstrumented_modules=1")
endif()
