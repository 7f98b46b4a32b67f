# cub::DeviceReduce and cub::DeviceTransform are host functions with kernels of their own, so these baselines are compiled
# ahead, by nvcc. Without nvcc the variants that want them say so. PTX for 8.0 serves every architecture that is not named.
find_program(NVCC nvcc HINTS ${CUDA_ROOT}/bin)
if(NVCC AND NOT WARPSWEEP_SANITIZE) # compiling them takes long, and they need a GPU
  set(CUB_TARGETS "90;100;120" CACHE STRING "Architectures of CUB's baselines; none: to see that they compile, in a build that runs none")
  set(cub_targets ${CUB_TARGETS})
  list(TRANSFORM cub_targets REPLACE "(.+)" "-gencode=arch=compute_\\1,code=sm_\\1")
  set(cub_source ${PROJECT_SOURCE_DIR}/src/worker/cuda/baselines/cub.cu)
  set(cub_object ${CMAKE_BINARY_DIR}/cub.o)
  # It takes a minute, longer than all else, so it waits for no other target.
  add_custom_command(OUTPUT ${cub_object}
    COMMAND ${NVCC} -c -O3 -std=c++17 -Xcompiler=-fPIC -gencode=arch=compute_80,code=compute_80 ${cub_targets}
            -I${PROJECT_SOURCE_DIR}/src ${cub_source} -o ${cub_object}
    DEPENDS ${cub_source} VERBATIM)
  add_custom_target(cub_baselines DEPENDS ${cub_object})
  add_dependencies(worker_cuda_baselines cub_baselines)
  target_sources(worker_cuda_baselines PRIVATE ${cub_object})
  target_compile_definitions(worker_cuda_baselines PRIVATE WARPSWEEP_CUB)
  if(NOT CUB_TARGETS)
    target_compile_definitions(worker_cuda_baselines PRIVATE WARPSWEEP_CUB_UNTUNED)
  endif()
  target_link_libraries(worker_cuda_baselines PUBLIC stdc++)
endif()
