# Interrupted, failed, resumed and repeated runs of the program.
if(TARGET terrawave)
  add_test(NAME cli.run.life COMMAND python3 ${folder}/run_life.py $<TARGET_FILE:terrawave>
    $<$<BOOL:${TERRAWAVE_MPI}>:${MPIEXEC_EXECUTABLE}>)
  set_tests_properties(cli.run.life PROPERTIES LABELS "cli;run" TIMEOUT 600
    ENVIRONMENT "OMP_NUM_THREADS=1;OMP_WAIT_POLICY=passive;OMPI_MCA_rmaps_base_oversubscribe=1")
endif()

# The progress line, on a pseudo-terminal and elsewhere; files that cannot be written to their end.
if(TARGET terrawave)
  foreach(name progress disk_full)
    add_test(NAME cli.run.${name} COMMAND python3 ${folder}/${name}.py $<TARGET_FILE:terrawave>)
    set_tests_properties(cli.run.${name} PROPERTIES LABELS "cli;run" TIMEOUT 120)
  endforeach()
endif()
