# Kernel families that users build themselves call what the executables export: all of base, core and kernels, used
# here or not. The CUDA runtime's symbols stay the worker's own: vendors' libraries bring theirs.
foreach(program warpsweep warpsweep-worker)
  set_target_properties(${program} PROPERTIES ENABLE_EXPORTS ON LINK_LIBRARY_OVERRIDE "WHOLE_ARCHIVE,base,core,kernels")
endforeach()
target_link_options(warpsweep-worker PRIVATE -Wl,--exclude-libs,libcudart_static.a)
