find_package(Python3 REQUIRED COMPONENTS Interpreter)
add_test(NAME unit.layers.includes COMMAND ${Python3_EXECUTABLE} ${folder}/check_layers.py)
set_tests_properties(unit.layers.includes PROPERTIES LABELS "unit;layers")
