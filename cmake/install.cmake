# Installs the command, the library, its headers and the package that find_package(simplexboost)
# reads. examples/find_package is compiled against such an installation by the tests.
include(CMakePackageConfigHelpers)

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/simplexboost)
configure_package_config_file(cmake/simplexboost-config.cmake.in
  ${PROJECT_BINARY_DIR}/simplexboost-config.cmake INSTALL_DESTINATION ${package_folder})
# Until 1.0 a minor version may break the API.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/simplexboost-config-version.cmake
  COMPATIBILITY SameMinorVersion)

install(TARGETS simplexboost EXPORT simplexboost-targets FILE_SET HEADERS)
if(TARGET simplexboost_command)
  install(TARGETS simplexboost_command)
endif()
if(TARGET simplexboost_mpi)
  install(TARGETS simplexboost_mpi DESTINATION ${CMAKE_INSTALL_LIBDIR}/simplexboost)
endif()
install(EXPORT simplexboost-targets NAMESPACE simplexboost:: DESTINATION ${package_folder})
install(FILES ${PROJECT_BINARY_DIR}/simplexboost-config.cmake
              ${PROJECT_BINARY_DIR}/simplexboost-config-version.cmake
        DESTINATION ${package_folder})
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
