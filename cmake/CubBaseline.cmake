# cub::DeviceReduce is a host function with kernels of its own, so this one baseline is compiled ahead, by nvcc.
# Without nvcc the variant that wants it says so. PTX for 8.0 serves every architecture that is not named.
find_program(NVCC nvcc HINTS ${CUDA_ROOT}/bin)
if(NVCC AND NOT WARPSWEEP_SANITIZE) # compiling it takes long, and it needs a GPU
  set(cub_object ${CMAKE_BINARY_DIR}/cub_reduce.o)
  set(cub_targets 90 100)
  list(TRANSFORM cub_targets REPLACE "(.+)" "-gencode=arch=compute_\\1,code=sm_\\1")
  add_custom_command(OUTPUT ${cub_object}
    COMMAND ${NVCC} -c -O3 -std=c++17 -gencode=arch=compute_80,code=compute_80 ${cub_targets}
            -I${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/src/worker/cuda/cub_reduce.cu -o ${cub_object}
    DEPENDS ${PROJECT_SOURCE_DIR}/src/worker/cuda/cub_reduce.cu VERBATIM)
  target_sources(worker PRIVATE ${cub_object})
  target_compile_definitions(worker PRIVATE WARPSWEEP_CUB)
  target_link_libraries(worker PUBLIC stdc++)
endif()
