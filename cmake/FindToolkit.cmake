# The CUDA Toolkit, as much of it as the worker needs: headers, the static runtime and NVRTC. No nvcc: device
# code is compiled per point at run time. Without it the worker has the host and fake back ends only.
#
# Sets WARPSWEEP_CUDA, the targets cuda_runtime and cuda_nvrtc, and NVDISASM, the toolkit's or the one that ./quickstart
# test put into the build folder; without one no test looks at machine code.
option(WARPSWEEP_WITH_CUDA "Build the CUDA back end when a CUDA Toolkit is found" ON)
set(WARPSWEEP_CUDA OFF)
if(WARPSWEEP_WITH_CUDA)
  find_path(CUDA_INCLUDE cuda_runtime_api.h
            HINTS $ENV{CUDA_HOME} $ENV{CUDA_PATH} /usr/local/cuda /opt/cuda PATH_SUFFIXES include)
  get_filename_component(CUDA_ROOT "${CUDA_INCLUDE}" DIRECTORY)
  find_library(CUDART_STATIC NAMES libcudart_static.a HINTS ${CUDA_ROOT}
               PATH_SUFFIXES lib64 lib targets/x86_64-linux/lib targets/sbsa-linux/lib)
  find_library(NVRTC nvrtc HINTS ${CUDA_ROOT}
               PATH_SUFFIXES lib64 lib targets/x86_64-linux/lib targets/sbsa-linux/lib)
  if(CUDA_INCLUDE AND CUDART_STATIC AND NVRTC)
    file(STRINGS ${CUDA_INCLUDE}/cuda.h version REGEX "^#define CUDA_VERSION [0-9]+")
    string(REGEX MATCH "[0-9]+" CUDA_NUMBER "${version}")
    if(CUDA_NUMBER LESS 12080)
      message(STATUS "CUDA Toolkit ${CUDA_NUMBER} at ${CUDA_ROOT} is older than 12.8: building without CUDA")
    else()
      set(WARPSWEEP_CUDA ON)
      message(STATUS "CUDA Toolkit ${CUDA_NUMBER} at ${CUDA_ROOT}: building the cuda back end")
      get_filename_component(CUDA_LIBRARIES_FOLDER ${NVRTC} DIRECTORY)
      add_library(cuda_runtime INTERFACE)
      target_include_directories(cuda_runtime SYSTEM INTERFACE ${CUDA_INCLUDE})
      target_link_libraries(cuda_runtime INTERFACE ${CUDART_STATIC} Threads::Threads ${CMAKE_DL_LIBS} rt)
      add_library(cuda_nvrtc INTERFACE)
      target_include_directories(cuda_nvrtc SYSTEM INTERFACE ${CUDA_INCLUDE})
      target_link_libraries(cuda_nvrtc INTERFACE ${NVRTC})
      file(GLOB fetched ${CMAKE_BINARY_DIR}/nvdisasm/nvidia/cu*/bin)
      find_program(NVDISASM nvdisasm HINTS ${CUDA_ROOT}/bin ${fetched})
    endif()
  else()
    message(STATUS "No CUDA Toolkit (headers, libcudart_static, libnvrtc): building the host back end only")
  endif()
endif()
