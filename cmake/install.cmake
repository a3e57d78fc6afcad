# What `make install` puts where.  Man pages and completion are printed by the program itself, from
# the same option tables that parse the command line.
include(GNUInstallDirs)

set(MANUAL_DIR ${CMAKE_BINARY_DIR}/manual)
add_custom_command(TARGET foreweave POST_BUILD
  COMMAND ${CMAKE_COMMAND} -E rm -rf ${MANUAL_DIR}
  COMMAND ${CMAKE_COMMAND} -E make_directory ${MANUAL_DIR}/man1
  COMMAND foreweave help --man-dir=${MANUAL_DIR}/man1
  COMMAND foreweave help --completion=bash > ${MANUAL_DIR}/completion.bash
  VERBATIM)

install(TARGETS foreweave RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
foreach(name foreweave-cc foreweave-c++)
  install(FILES ${CMAKE_BINARY_DIR}/${name} DESTINATION ${CMAKE_INSTALL_BINDIR})
endforeach()
# Where places.c looks, whatever the distribution calls its folder of libraries.
install(TARGETS foreweave_rt LIBRARY DESTINATION lib/foreweave)
install(TARGETS foreweave_atomrace LIBRARY DESTINATION lib/foreweave/atomrace)
install(TARGETS foreweave_heal LIBRARY DESTINATION lib/foreweave/heal)
install(TARGETS foreweave_guard LIBRARY DESTINATION lib/foreweave/guard)
install(FILES src/cmd/gcc.specs DESTINATION lib/foreweave)
install(DIRECTORY include/foreweave DESTINATION include)
install(DIRECTORY ${MANUAL_DIR}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR})
install(FILES ${MANUAL_DIR}/completion.bash RENAME foreweave
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES LICENSE README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
