# SPDX-License-Identifier: MIT
# Tests of the engine in user land.
add_library(engine_build STATIC engine_build.c engine_fixture.c)
target_link_libraries(engine_build PUBLIC dtrace_engine PkgConfig::CMOCKA)
target_include_directories(engine_build PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})

function(engine_test name)
	add_executable(engine_${name} engine_${name}.c)
	target_link_libraries(engine_${name} PRIVATE engine_build)
	add_test(NAME engine_${name} COMMAND engine_${name} ${ARGN})
endfunction()

file(GLOB dif_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/test/dif/*.dif)
engine_test(dif ${dif_files})
foreach(test account registry probe listing session var agg speculation helper ustack alloc attack work
	secret import shared command)
	engine_test(${test})
endforeach()

add_executable(engine_usdt engine_usdt.c ${DRTI_OPERANDS} ${DRTI_DOFBUILD})
target_compile_definitions(engine_usdt PRIVATE _GNU_SOURCE)
target_include_directories(engine_usdt PRIVATE ${PROJECT_SOURCE_DIR}/drti)
target_link_libraries(engine_usdt PRIVATE engine_build)
add_test(NAME engine_usdt COMMAND engine_usdt)
