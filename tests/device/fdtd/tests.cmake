# The benchmark on its own, to carry to a GPU machine.
add_executable(bench_fdtd EXCLUDE_FROM_ALL ${PROJECT_SOURCE_DIR}/bench/fdtd/main.cpp)
target_link_libraries(bench_fdtd PRIVATE terrawave_solvers)
