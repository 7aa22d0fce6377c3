# Compile flags shared by every target, and the functions that declare targets.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
set(CMAKE_CXX_FLAGS_RELEASE "-O3")
set(CMAKE_CUDA_FLAGS_RELEASE "-O3")

find_program(TERRAWAVE_CCACHE ccache)
if(TERRAWAVE_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${TERRAWAVE_CCACHE})
  set(CMAKE_CUDA_COMPILER_LAUNCHER ${TERRAWAVE_CCACHE})
endif()

find_package(OpenMP REQUIRED COMPONENTS CXX)

if(TERRAWAVE_STATIC)
  # Shared libraries that are carried along lie in lib/ beside the program's folder (target carry).
  set(CMAKE_BUILD_RPATH "$ORIGIN/../lib")
  add_link_options(-Wl,--as-needed)
endif()

add_library(terrawave_flags INTERFACE)
target_include_directories(terrawave_flags INTERFACE ${PROJECT_SOURCE_DIR}/src ${PROJECT_BINARY_DIR}/generated)
# One arithmetic on every backend: no contraction, no fast-math (docs/decisions/0001-same-bits.md).
# The -fno- switches change no value; they let the compiler vectorise.
# -Wno-restrict: g++ 12 warns falsely of "text" + std::string (its bug 105651).
target_compile_options(terrawave_flags INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-ffp-contract=off -fno-math-errno -fno-trapping-math -Wall -Wextra -Wshadow -Wno-restrict>
  $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<BOOL:${TERRAWAVE_MARCH}>>:-march=${TERRAWAVE_MARCH}>
  $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<BOOL:${TERRAWAVE_WERROR}>>:-Werror>)
target_link_libraries(terrawave_flags INTERFACE OpenMP::OpenMP_CXX)
if(TERRAWAVE_SANITIZE)
  target_compile_options(terrawave_flags INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer -g1>)
  target_link_options(terrawave_flags INTERFACE -fsanitize=address,undefined)
endif()

if(TERRAWAVE_CUDA)
  set(CMAKE_CUDA_ARCHITECTURES ${TERRAWAVE_CUDA_ARCH})
  enable_language(CUDA)
  # CMake 3.25 does not know that this nvcc speaks C++20.
  if(NOT DEFINED CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
    set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION "-std=c++20")
    set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION "-std=c++20")
  endif()
  set(CMAKE_CUDA_STANDARD 20)
  find_package(CUDAToolkit REQUIRED)
  target_compile_definitions(terrawave_flags INTERFACE TERRAWAVE_CUDA=1)
  target_compile_options(terrawave_flags INTERFACE
    $<$<COMPILE_LANGUAGE:CUDA>:-fmad=false -prec-div=true -prec-sqrt=true -ftz=false --expt-relaxed-constexpr
      -Xcompiler=-ffp-contract=off,-fno-math-errno,-fno-trapping-math,-Wall,-Wno-unknown-pragmas
      -diag-suppress=20012>
    $<$<AND:$<COMPILE_LANGUAGE:CUDA>,$<BOOL:${TERRAWAVE_WERROR}>>:-Werror=all-warnings>)
  target_link_libraries(terrawave_flags INTERFACE
    $<IF:$<BOOL:${TERRAWAVE_STATIC}>,CUDA::cudart_static,CUDA::cudart>)
endif()

# terrawave_library(NAME LAYER... SOURCES a.cpp ... STEPS b_steps.cpp ... CUDA c.cu ... LIBS x ...)
#   SOURCES  compiled for the host
#   STEPS    launches written against par::Exec: compiled for the host, and once more by nvcc
#   CUDA     compiled by nvcc only, where CUDA is on
function(terrawave_library NAME)
  cmake_parse_arguments(L "" "" "SOURCES;STEPS;CUDA;LIBS" ${ARGN})
  set(stubs)
  if(TERRAWAVE_CUDA)
    foreach(step ${L_STEPS})
      get_filename_component(base ${step} NAME_WE)
      get_filename_component(path ${step} ABSOLUTE)
      set(stub ${CMAKE_CURRENT_BINARY_DIR}/${base}.cu)
      file(CONFIGURE OUTPUT ${stub} CONTENT "// The launches of ${base}, compiled for CUDA.\n#include \"${path}\"\n")
      list(APPEND stubs ${stub})
    endforeach()
    list(APPEND stubs ${L_CUDA})
  endif()
  if(L_SOURCES OR L_STEPS OR stubs)
    add_library(${NAME} STATIC ${L_SOURCES} ${L_STEPS} ${stubs})
    target_link_libraries(${NAME} PUBLIC terrawave_flags ${L_LIBS})
  else()
    add_library(${NAME} INTERFACE)
    target_link_libraries(${NAME} INTERFACE terrawave_flags ${L_LIBS})
  endif()
endfunction()
