# Kernel families that users build themselves call what the executables export: all of base, core, family and kernels, used
# here or not. Nothing else is exported, so that no name here stands in for one of a library that is loaded later.
foreach(program warpsweep warpsweep-worker)
  set_target_properties(${program} PROPERTIES ENABLE_EXPORTS ON LINK_LIBRARY_OVERRIDE "WHOLE_ARCHIVE,base,core,family,kernels")
endforeach()
target_link_options(warpsweep PRIVATE -Wl,--exclude-libs,libcli.a:liblaunch.a:libplan.a:libstore.a:libprocess.a)
target_link_options(warpsweep-worker PRIVATE -Wl,--exclude-libs,libworker.a:libprocess.a:libcudart_static.a)
