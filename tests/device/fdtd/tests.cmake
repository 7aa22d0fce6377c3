# Benchmarks on their own, to carry to a GPU machine.
add_executable(bench_fdtd EXCLUDE_FROM_ALL ${PROJECT_SOURCE_DIR}/bench/fdtd/main.cpp)
target_link_libraries(bench_fdtd PRIVATE terrawave_solvers)
if(TERRAWAVE_CUDA)
  add_executable(tune_fdtd EXCLUDE_FROM_ALL ${PROJECT_SOURCE_DIR}/bench/fdtd/tune.cu)
  target_link_libraries(tune_fdtd PRIVATE terrawave_fdtd)
endif()
