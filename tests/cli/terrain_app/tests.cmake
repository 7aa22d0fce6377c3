terrawave_cli_cases(terrain_app)

if(TARGET terrawave AND TERRAWAVE_GEO)
  add_test(NAME example.terrain.jacksboro COMMAND python3 ${folder}/../terrain_check_example.py
    $<TARGET_FILE:terrawave> ${PROJECT_SOURCE_DIR}/examples/terrain/jacksboro)
  set_tests_properties(example.terrain.jacksboro PROPERTIES LABELS "example;terrain_app" TIMEOUT 120)
endif()
