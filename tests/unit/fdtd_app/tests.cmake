# Debian's own interpreter has VTK, h5py and scikit-rf.
find_program(debian_python3 NAMES python3 PATHS /usr/bin NO_DEFAULT_PATH)
if(debian_python3)
  add_test(NAME unit.fdtd_app.readers COMMAND ${debian_python3} ${folder}/read_snapshot_files.py
    $<TARGET_FILE:test_unit_fdtd_app>)
  set_tests_properties(unit.fdtd_app.readers PROPERTIES LABELS "unit;fdtd_app")
  add_test(NAME unit.fdtd_app.scikit_rf COMMAND ${debian_python3} ${folder}/read_touchstone_files.py
    $<TARGET_FILE:test_unit_fdtd_app>)
  set_tests_properties(unit.fdtd_app.scikit_rf PROPERTIES LABELS "unit;fdtd_app" SKIP_RETURN_CODE 77)
endif()
