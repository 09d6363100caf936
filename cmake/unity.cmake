# Compiles each folder as one file where nothing stands against it: a build from nothing takes half
# the time, because headers are read and templates made once a folder. With a compiler launcher such
# as ccache, which keeps what each file gave, files are compiled one by one; so does the preset dev,
# for those who change a file and build again.
set(unity_default ON)
if(CMAKE_CXX_COMPILER_LAUNCHER)
  set(unity_default OFF)
endif()
option(SIMPLEXBOOST_UNITY "Compile each source folder as one file" ${unity_default})

# simplexboost_unity(TARGET FOLDER...): FOLDERs of the current one, each of which becomes one file.
# Names in their anonymous namespaces must differ within a folder.
function(simplexboost_unity target)
  if(NOT SIMPLEXBOOST_UNITY)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  # What is true of a header is not of a source that another one includes.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
  foreach(folder IN LISTS ARGN)
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${folder}/*.cpp)
    string(MAKE_C_IDENTIFIER ${folder} group)
    set_source_files_properties(${sources} PROPERTIES UNITY_GROUP ${group})
  endforeach()
endfunction()
