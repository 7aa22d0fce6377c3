terrawave_cli_cases(terrain_app)
# Debian's own interpreter has NumPy, where ./quickstart test installed it.
find_program(debian_python3 NAMES python3 PATHS /usr/bin NO_DEFAULT_PATH)

if(TARGET terrawave AND TERRAWAVE_GEO)
  add_test(NAME example.terrain.jacksboro COMMAND python3 ${folder}/../terrain_check_example.py
    $<TARGET_FILE:terrawave> ${PROJECT_SOURCE_DIR}/examples/terrain/jacksboro)
  set_tests_properties(example.terrain.jacksboro PROPERTIES LABELS "example;terrain_app" TIMEOUT 120)
endif()

if(TARGET terrawave AND debian_python3)
  add_test(NAME cli.terrain_app.budget
    COMMAND ${debian_python3} ${folder}/budget_test.py $<TARGET_FILE:terrawave>)
  set_tests_properties(cli.terrain_app.budget PROPERTIES LABELS "cli;terrain_app" TIMEOUT 300)
endif()
if(TARGET terrawave AND debian_python3)
  set(ranks)
  if(TERRAWAVE_MPI)
    set(ranks ${MPIEXEC_EXECUTABLE} 3)
  endif()
  add_test(NAME cli.terrain_app.tiles
    COMMAND ${debian_python3} ${folder}/tiles_test.py $<TARGET_FILE:terrawave> ${ranks})
  set_tests_properties(cli.terrain_app.tiles PROPERTIES LABELS "cli;terrain_app" TIMEOUT 300
    PROCESSORS 2
    ENVIRONMENT "OMP_WAIT_POLICY=passive;OMPI_MCA_rmaps_base_oversubscribe=1;OMPI_MCA_btl_vader_single_copy_mechanism=none")
endif()
if(TARGET terrawave AND debian_python3)
  set(formats npy)
  if(TERRAWAVE_GEO)
    set(formats npy,tif)
  endif()
  add_test(NAME cli.terrain_app.fractions
    COMMAND ${debian_python3} ${folder}/fractions_test.py $<TARGET_FILE:terrawave> ${formats} ${ranks})
  set_tests_properties(cli.terrain_app.fractions PROPERTIES LABELS "cli;terrain_app" TIMEOUT 300
    PROCESSORS 2
    ENVIRONMENT "OMP_WAIT_POLICY=passive;OMPI_MCA_rmaps_base_oversubscribe=1;OMPI_MCA_btl_vader_single_copy_mechanism=none")
endif()
if(TARGET terrawave AND TERRAWAVE_MPI AND TERRAWAVE_GEO)
  foreach(case chain jumps jacksboro)
    set(file ${folder}/ranks/case.toml)
    if(case STREQUAL jumps)
      set(file ${folder}/ranks/jumps.toml)
    endif()
    if(case STREQUAL jacksboro)
      set(file ${PROJECT_SOURCE_DIR}/examples/terrain/jacksboro/case.toml)
    endif()
    add_test(NAME cli.terrain_app.ranks.${case} COMMAND python3 ${folder}/chain_ranks_test.py
      $<TARGET_FILE:terrawave> ${MPIEXEC_EXECUTABLE} ${file} 2 3 5 7)
    set_tests_properties(cli.terrain_app.ranks.${case} PROPERTIES LABELS "cli;terrain_app" TIMEOUT 300
      PROCESSORS 2
      ENVIRONMENT "OMP_WAIT_POLICY=passive;OMPI_MCA_rmaps_base_oversubscribe=1;OMPI_MCA_btl_vader_single_copy_mechanism=none")
  endforeach()
endif()
