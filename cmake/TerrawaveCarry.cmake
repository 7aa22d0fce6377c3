# Target `carry` of a static build: carry/ holds the program, the device tests, the unit database and
# the libraries that Debian has only as shared ones. It runs wherever a CUDA driver and OpenMPI 4.1
# are: carry/bin/terrawave, carry/bin/test_device_*.
set(carried_libraries)
foreach(library metis muparser)
  if(deps_${library}_LIBRARY MATCHES "\\.so$")
    list(APPEND carried_libraries ${deps_${library}_LIBRARY})
  endif()
endforeach()
find_file(TERRAWAVE_UNIT_DATABASE udunits2.xml PATHS /usr/share/xml/udunits /usr/share/udunits NO_DEFAULT_PATH)
if(NOT TERRAWAVE_UNIT_DATABASE)
  terrawave_missing("udunits2.xml" libudunits2-data)
endif()

get_property(device_tests GLOBAL PROPERTY TERRAWAVE_DEVICE_TESTS)
set(programs $<TARGET_FILE:terrawave>)
foreach(test ${device_tests})
  list(APPEND programs $<TARGET_FILE:${test}>)
endforeach()
add_custom_target(carry
  COMMAND ${CMAKE_COMMAND} "-DPROGRAMS=${programs}" "-DLIBRARIES=${carried_libraries}"
    "-DUNITS=${TERRAWAVE_UNIT_DATABASE}" "-DSTRIP=${CMAKE_STRIP}"
    "-DTO=${PROJECT_BINARY_DIR}/carry" -P ${PROJECT_SOURCE_DIR}/cmake/Carry.cmake
  DEPENDS terrawave ${device_tests}
  COMMENT "Collecting what a GPU machine needs in ${PROJECT_BINARY_DIR}/carry" VERBATIM)
