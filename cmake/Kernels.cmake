# The kernel families: kernels/*.c and kernels/NAME/NAME.c, with each NAME.cu embedded as the text
# `NAME_source`, each NAME.claims (optional) as `NAME_claims`, and the headers that they include, so that the executables need no data files.
function(embed_text target name input)
  set(output ${CMAKE_BINARY_DIR}/embedded/${name}.c)
  add_custom_command(OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DNAME=${name} -DINPUT=${input} -DOUTPUT=${output}
            -P ${PROJECT_SOURCE_DIR}/cmake/Embed.cmake
    DEPENDS ${input} ${PROJECT_SOURCE_DIR}/cmake/Embed.cmake VERBATIM)
  target_sources(${target} PRIVATE ${output})
endfunction()

file(GLOB kernel_sources CONFIGURE_DEPENDS kernels/*.c kernels/*/*.c)
add_library(kernels STATIC ${kernel_sources})
file(GLOB device_sources CONFIGURE_DEPENDS kernels/*/*.cu)
file(GLOB claims CONFIGURE_DEPENDS kernels/*/*.claims) # configures anew when one is added or removed
foreach(source ${device_sources})
  get_filename_component(name ${source} NAME_WE)
  embed_text(kernels ${name}_source ${source})
  get_filename_component(folder ${source} DIRECTORY)
  if(EXISTS ${folder}/${name}.claims)
    embed_text(kernels ${name}_claims ${folder}/${name}.claims)
  endif()
endforeach()
foreach(source ${kernel_sources})
  get_filename_component(name ${source} NAME_WE)
  get_filename_component(folder ${source} DIRECTORY)
  get_filename_component(family ${folder} NAME)
  if(name STREQUAL family)
    file(GLOB descriptor CONFIGURE_DEPENDS ${folder}/*.c)
    set(output ${CMAKE_BINARY_DIR}/embedded/${name}_descriptor.c)
    add_custom_command(OUTPUT ${output}
      COMMAND ${CMAKE_COMMAND} -DNAME=${name} -DFOLDER=${folder} -DOUTPUT=${output} -P ${PROJECT_SOURCE_DIR}/cmake/Descriptor.cmake
      DEPENDS ${descriptor} ${PROJECT_SOURCE_DIR}/cmake/Descriptor.cmake VERBATIM)
    target_sources(kernels PRIVATE ${output})
  endif()
endforeach()
embed_text(kernels fill_source ${PROJECT_SOURCE_DIR}/src/family/fill.h)
foreach(header bulk bulk_stream chase device element hint home mma pipeline rate_tcgen05 sum tcgen05 tensor_map tensor_memory tensor_mma tensor_tcgen05 tensor_wgmma tile_order tile_shares tour wgmma wide)
  embed_text(kernels ${header}_cuh_source ${PROJECT_SOURCE_DIR}/kernels/${header}.cuh)
endforeach()
