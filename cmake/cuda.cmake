# GPUs of NVIDIA, an optional part of the library: a few files of kernels, compiled by nvcc itself, so
# that the flags of the C++ compiler do not matter to it. simplexboost_cuda(TARGET) adds it.
option(SIMPLEXBOOST_CUDA "Train on GPUs: needs nvcc of CUDA 12.8 or newer" OFF)
set(SIMPLEXBOOST_CUDA_ARCHITECTURES "80;86;89;90;100;120" CACHE STRING
    "Compute capabilities that are compiled for: Ampere to Blackwell; later ones by the last")

if(SIMPLEXBOOST_CUDA)
  find_program(SIMPLEXBOOST_NVCC nvcc HINTS /usr/local/cuda/bin)
  if(NOT SIMPLEXBOOST_NVCC)
    message(FATAL_ERROR "SIMPLEXBOOST_CUDA is ON, but there is no nvcc; install the CUDA toolkit, or "
                        "say where it is: -DSIMPLEXBOOST_NVCC=/usr/local/cuda/bin/nvcc")
  endif()
  execute_process(COMMAND ${SIMPLEXBOOST_NVCC} --version OUTPUT_VARIABLE nvcc_says ERROR_QUIET)
  if(NOT nvcc_says MATCHES "release ([0-9]+[.][0-9]+)")
    message(FATAL_ERROR "SIMPLEXBOOST_CUDA is ON, but ${SIMPLEXBOOST_NVCC} --version does not tell its release; "
                        "say where that of CUDA 12.8 or newer is: -DSIMPLEXBOOST_NVCC=/usr/local/cuda/bin/nvcc")
  endif()
  if(CMAKE_MATCH_1 VERSION_LESS 12.8)
    message(FATAL_ERROR "SIMPLEXBOOST_CUDA is ON, but ${SIMPLEXBOOST_NVCC} is of CUDA ${CMAKE_MATCH_1}; install 12.8 "
                        "or newer, or say where it is: -DSIMPLEXBOOST_NVCC=/usr/local/cuda/bin/nvcc")
  endif()
  get_filename_component(cuda_bin "${SIMPLEXBOOST_NVCC}" DIRECTORY)
  find_library(SIMPLEXBOOST_CUDART cudart_static
    HINTS ${cuda_bin}/../lib64 ${cuda_bin}/../targets/x86_64-linux/lib)
  if(NOT SIMPLEXBOOST_CUDART)
    message(FATAL_ERROR "SIMPLEXBOOST_CUDA is ON, but there is no libcudart_static.a beside "
                        "${SIMPLEXBOOST_NVCC}; say where it is: -DSIMPLEXBOOST_CUDART=FILE")
  endif()
endif()

function(simplexboost_cuda target)
  if(NOT SIMPLEXBOOST_CUDA)
    return()
  endif()
  set(codes "")
  foreach(number IN LISTS SIMPLEXBOOST_CUDA_ARCHITECTURES)
    list(APPEND codes -gencode arch=compute_${number},code=sm_${number})
  endforeach()
  list(GET SIMPLEXBOOST_CUDA_ARCHITECTURES -1 last)
  list(APPEND codes -gencode arch=compute_${last},code=compute_${last})
  file(GLOB_RECURSE kernel_files CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cu)
  foreach(source IN LISTS kernel_files)
    get_filename_component(name ${source} NAME_WE)
    set(object ${CMAKE_CURRENT_BINARY_DIR}/${name}.cu.o)
    # No contraction to fused multiply-add: the bits of the processor.
    add_custom_command(OUTPUT ${object}
      COMMAND ${SIMPLEXBOOST_NVCC} -std=c++20 -O3 --fmad=false --expt-relaxed-constexpr
        -Werror all-warnings -Xcompiler -fPIC,-fvisibility=hidden ${codes}
        -I${CMAKE_CURRENT_SOURCE_DIR} -I${PROJECT_SOURCE_DIR}/include
        -I${PROJECT_BINARY_DIR}/include -MD -MF ${object}.d -c ${source} -o ${object}
      DEPENDS ${source} DEPFILE ${object}.d COMMENT "Building CUDA object ${name}.cu.o" VERBATIM)
    set_source_files_properties(${object} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
    target_sources(${target} PRIVATE ${object})
  endforeach()
  target_link_libraries(${target} PRIVATE ${SIMPLEXBOOST_CUDART} ${CMAKE_DL_LIBS} rt)
  file(GLOB_RECURSE sources ${CMAKE_CURRENT_SOURCE_DIR}/cuda/*.cpp
    ${CMAKE_CURRENT_SOURCE_DIR}/device_*.cpp)
  set_property(SOURCE ${sources} APPEND PROPERTY COMPILE_DEFINITIONS SIMPLEXBOOST_CUDA)
endfunction()
