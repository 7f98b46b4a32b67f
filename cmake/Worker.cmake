# What the modules of warpsweep-worker need beyond cmake/modules.txt: src/worker/cuda is built only with a CUDA Toolkit.
target_link_libraries(worker PUBLIC Threads::Threads)
if(WARPSWEEP_CUDA)
  enable_language(CXX) # for CUPTI's host header alone
  set(CMAKE_CXX_STANDARD 17)
  set_source_files_properties(src/worker/cuda/counters/cupti.cpp PROPERTIES COMPILE_OPTIONS -Wno-missing-field-initializers)
  target_compile_definitions(worker PUBLIC WARPSWEEP_CUDA CUDA_INCLUDE_FOLDER="${CUDA_INCLUDE}"
                             CUDA_LIBRARY_FOLDER="${CUDA_LIBRARIES_FOLDER}" $<$<BOOL:${NVDISASM}>:NVDISASM_PATH="${NVDISASM}">)
  target_link_libraries(worker_cuda_compile PUBLIC cuda_runtime cuda_nvrtc)
  embed_text(worker_cuda_device support_source ${PROJECT_SOURCE_DIR}/src/worker/cuda/device/support.cu)
  embed_text(worker_cuda_timing roofs_source ${PROJECT_SOURCE_DIR}/src/worker/cuda/timing/roofs.cu)
  include(CubBaselines)
endif()
add_executable(warpsweep-worker src/worker/program/main.c)
target_link_libraries(warpsweep-worker PRIVATE worker_program)
add_dependencies(warpsweep warpsweep-worker) # neither is of use without the other of the same build
