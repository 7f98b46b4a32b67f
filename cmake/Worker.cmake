# warpsweep-worker: its folders tell what they need: src/worker/cuda is built only with a CUDA Toolkit.
file(GLOB_RECURSE worker_sources CONFIGURE_DEPENDS src/worker/*.c)
list(FILTER worker_sources EXCLUDE REGEX "/worker/main\\.c$")
set(cuda_sources ${worker_sources})
list(FILTER cuda_sources INCLUDE REGEX "/worker/cuda/")
list(FILTER worker_sources EXCLUDE REGEX "/worker/cuda/")
add_library(worker STATIC ${worker_sources})
target_link_libraries(worker PUBLIC kernels process Threads::Threads)
if(WARPSWEEP_CUDA)
  enable_language(CXX) # for CUPTI's host header alone
  set(CMAKE_CXX_STANDARD 17)
  set(cupti_source ${PROJECT_SOURCE_DIR}/src/worker/cuda/counters/cupti.cpp)
  target_sources(worker PRIVATE ${cuda_sources} ${cupti_source})
  set_source_files_properties(${cupti_source} PROPERTIES COMPILE_OPTIONS -Wno-missing-field-initializers)
  target_compile_definitions(worker PRIVATE WARPSWEEP_CUDA CUDA_INCLUDE_FOLDER="${CUDA_INCLUDE}"
                             CUDA_LIBRARY_FOLDER="${CUDA_LIBRARIES_FOLDER}" $<$<BOOL:${NVDISASM}>:NVDISASM_PATH="${NVDISASM}">)
  target_link_libraries(worker PUBLIC cuda_runtime cuda_nvrtc)
  embed_text(worker support_source ${PROJECT_SOURCE_DIR}/src/worker/cuda/support.cu)
  embed_text(worker roofs_source ${PROJECT_SOURCE_DIR}/src/worker/cuda/roofs.cu)
  include(CubBaselines)
endif()
add_executable(warpsweep-worker src/worker/main.c)
target_link_libraries(warpsweep-worker PRIVATE worker)
add_dependencies(warpsweep warpsweep-worker) # neither is of use without the other of the same build
