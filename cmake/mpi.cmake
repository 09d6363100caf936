# MPI, which the command alone uses: SIMPLEXBOOST_MPI is ON or OFF behind this.
string(TOUPPER "${SIMPLEXBOOST_MPI}" mpi_wanted)
if(mpi_wanted STREQUAL "AUTO" OR mpi_wanted)
  set(MPI_CXX_SKIP_MPICXX ON)
  find_package(MPI QUIET COMPONENTS CXX)
  if(mpi_wanted STREQUAL "AUTO")
    set(SIMPLEXBOOST_MPI ${MPI_CXX_FOUND})
  elseif(NOT MPI_CXX_FOUND)
    message(FATAL_ERROR "SIMPLEXBOOST_MPI is ${SIMPLEXBOOST_MPI}, but no MPI was found; install "
                        "libopenmpi-dev and openmpi-bin")
  endif()
endif()
