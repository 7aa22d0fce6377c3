# terrawave_cli_cases(AREA [FOLDER]): one test that runs all cases (*.case) of a folder with
# cli_cases.py; FOLDER is the calling tests.cmake's own where it is not given.
function(terrawave_cli_cases area)
  if(NOT TARGET terrawave)
    return()
  endif()
  set(cases ${folder})
  if(ARGC GREATER 1)
    set(cases ${ARGV1})
  endif()
  add_test(NAME cli.${area}.cases COMMAND python3 ${PROJECT_SOURCE_DIR}/tests/cli/cli_cases.py
    $<TARGET_FILE:terrawave> ${cases} $<$<NOT:$<BOOL:${TERRAWAVE_GEO}>>:--lean> COMMAND_EXPAND_LISTS)
  set_tests_properties(cli.${area}.cases PROPERTIES LABELS "cli;${area}" TIMEOUT 300)
endfunction()
