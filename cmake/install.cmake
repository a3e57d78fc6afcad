# What `make install` puts where.  Man pages and completion are printed by the program itself, from
# the same option tables that parse the command line.
include(GNUInstallDirs)
install(TARGETS foreweave RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(FILES LICENSE README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
