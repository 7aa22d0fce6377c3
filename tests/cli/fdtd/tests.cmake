terrawave_cli_cases(fdtd)

# Examples run on the CPU and are compared with their expected.toml. Those above a minute on two
# cores are labelled long.
if(TARGET terrawave)
  foreach(example low_pass_filter patch_antenna cavity diode_rectifier)
    add_test(NAME example.fdtd.${example} COMMAND python3 ${folder}/../fdtd_check_example.py
      $<TARGET_FILE:terrawave> ${PROJECT_SOURCE_DIR}/examples/fdtd/${example})
    set_tests_properties(example.fdtd.${example} PROPERTIES LABELS "example;fdtd" TIMEOUT 600 PROCESSORS 2)
  endforeach()
  add_test(NAME example.fdtd.low_pass_filter_fine COMMAND python3
    ${folder}/../fdtd_check_example.py $<TARGET_FILE:terrawave>
    ${PROJECT_SOURCE_DIR}/examples/fdtd/low_pass_filter --expected expected_fine.toml)
  set_tests_properties(example.fdtd.low_pass_filter_fine PROPERTIES
    LABELS "long;example;fdtd" TIMEOUT 1800 PROCESSORS 2)
endif()
