# The examples of the two-layer solver, with the numbers that they must give.
if(TARGET terrawave)
  foreach(example internal_dam_break real_bathymetry)
    add_test(NAME example.swe.${example} COMMAND python3 ${folder}/check_example.py
      $<TARGET_FILE:terrawave> ${PROJECT_SOURCE_DIR}/examples/swe/${example})
    set_tests_properties(example.swe.${example} PROPERTIES LABELS "example;swe" TIMEOUT 300
      SKIP_RETURN_CODE 77 PROCESSORS 2)
  endforeach()
  if(TERRAWAVE_MPI)
    add_test(NAME cli.swe.ranks_same_files COMMAND python3 ${folder}/ranks_same_files.py
      $<TARGET_FILE:terrawave> ${MPIEXEC_EXECUTABLE})
    set_tests_properties(cli.swe.ranks_same_files PROPERTIES LABELS "cli;swe" TIMEOUT 300 PROCESSORS 2)
  endif()
endif()
terrawave_cli_cases(swe)
