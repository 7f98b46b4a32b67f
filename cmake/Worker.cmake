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
  embed_text(worker_cuda product_source ${PROJECT_SOURCE_DIR}/src/worker/cuda/product.cu)
  include(CubBaselines)
endif()
if(BUILD_TESTING) # tests and benchmarks run without a device
  add_library(fake_backend STATIC tests/fake_backend/fake_backend.c)
  target_link_libraries(fake_backend PUBLIC worker)
  target_compile_definitions(protocol PUBLIC WARPSWEEP_TESTS)
  target_link_libraries(worker_program PUBLIC fake_backend)
endif()
add_executable(warpsweep-worker src/worker/program/worker_main.c)
target_link_libraries(warpsweep-worker PRIVATE worker_program)
# The same as a library, for families in Python: the user's interpreter loads it. An interpreter without sanitizers cannot.
if(NOT WARPSWEEP_SANITIZE)
  add_library(warpsweep-worker-library MODULE src/worker/program/worker_main.c)
  set_target_properties(warpsweep-worker-library PROPERTIES OUTPUT_NAME warpsweep-worker NO_SONAME ON # nothing links with it
                        LIBRARY_OUTPUT_DIRECTORY ${CMAKE_RUNTIME_OUTPUT_DIRECTORY})
  target_link_libraries(warpsweep-worker-library PRIVATE worker_program)
  target_link_options(warpsweep-worker-library PRIVATE -Wl,-Bsymbolic) # our functions, and not the interpreter's of that name
  add_dependencies(warpsweep warpsweep-worker-library)
endif()
add_dependencies(warpsweep warpsweep-worker) # neither is of use without the other of the same build
