# Run by cpack on the staged files: what Debian's policy wants otherwise than an installation by hand has it.
set(root ${CPACK_TEMPORARY_DIRECTORY}${CPACK_PACKAGING_INSTALL_PREFIX})
set(doc ${root}/share/doc/warpsweep)
foreach(program warpsweep warpsweep-worker) # the system's loader knows where packages have their libraries
  file(RPATH_REMOVE FILE ${root}/bin/${program})
endforeach()
file(GLOB_RECURSE libraries ${root}/libexec/libwarpsweep-worker.so)
foreach(library ${libraries})
  file(RPATH_REMOVE FILE ${library})
endforeach()
file(RENAME ${doc}/LICENSE ${doc}/copyright)
file(RENAME ${doc}/CHANGELOG.md ${doc}/changelog)
string(TIMESTAMP now "%a, %d %b %Y %H:%M:%S +0000" UTC)
file(WRITE ${doc}/changelog.Debian "warpsweep (${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}) unstable; urgency=medium

  * Packaged by cpack; changelog.gz says what has changed.

 -- ${CPACK_PACKAGE_CONTACT}  ${now}
")
file(GLOB_RECURSE compressed ${root}/share/man/*.[1-9])
execute_process(COMMAND gzip -9nf ${doc}/changelog ${doc}/changelog.Debian ${compressed} COMMAND_ERROR_IS_FATAL ANY)
if(EXISTS ${root}/share/zsh/site-functions)
  file(RENAME ${root}/share/zsh/site-functions ${root}/share/zsh/vendor-completions)
endif()
