# Other people's programs open what a run wrote. Where one is not installed its test is skipped, and
# says so. Debian's own interpreter has the readers.
find_program(debian_python3 NAMES python3 PATHS /usr/bin NO_DEFAULT_PATH)
if(TARGET terrawave AND debian_python3)
  foreach(reader xarray qgis paraview)
    add_test(NAME cli.readers.${reader} COMMAND ${debian_python3} ${folder}/read_${reader}.py
      $<TARGET_FILE:terrawave>)
    set(labels cli readers)
    if(NOT reader STREQUAL xarray)
      list(APPEND labels external)
    endif()
    set_tests_properties(cli.readers.${reader} PROPERTIES LABELS "${labels}" TIMEOUT 120
      SKIP_RETURN_CODE 77)
  endforeach()
endif()
