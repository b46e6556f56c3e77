# SPDX-License-Identifier: MIT
# Tests of drti's parts. What they build is read back by the engine.
foreach(part operand operand_text dofbuild function)
	add_executable(drti_${part} drti_${part}.c ${DRTI_OPERANDS} ${DRTI_DOFBUILD})
	target_compile_definitions(drti_${part} PRIVATE _GNU_SOURCE)
	target_include_directories(drti_${part} PRIVATE ${PROJECT_SOURCE_DIR}/drti)
	target_link_libraries(drti_${part} PRIVATE dtrace_engine PkgConfig::CMOCKA)
	add_test(NAME drti_${part} COMMAND drti_${part})
endforeach()
