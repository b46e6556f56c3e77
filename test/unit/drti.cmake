# SPDX-License-Identifier: MIT
# Tests of drti's parts. What they build is read back by the engine.
foreach(part operand operand_text dofbuild function)
	add_executable(drti_${part} drti_${part}.c ${DRTI_OPERANDS} ${DRTI_DOFBUILD})
	target_compile_definitions(drti_${part} PRIVATE _GNU_SOURCE)
	target_include_directories(drti_${part} PRIVATE ${PROJECT_SOURCE_DIR}/drti)
	target_link_libraries(drti_${part} PRIVATE dtrace_engine PkgConfig::CMOCKA)
	add_test(NAME drti_${part} COMMAND drti_${part})
endforeach()
# The consumers that a program lets in: the kernel's answers and all files are the test's.
add_executable(drti_peer drti_peer.c ${PROJECT_SOURCE_DIR}/drti/peer.c ${PROJECT_SOURCE_DIR}/drti/say.c)
target_compile_definitions(drti_peer PRIVATE _GNU_SOURCE)
target_include_directories(drti_peer PRIVATE ${PROJECT_SOURCE_DIR}/drti)
target_link_options(drti_peer PRIVATE
	-Wl,--wrap=open,--wrap=fstat,--wrap=access,--wrap=getsockopt,--wrap=syscall,--wrap=geteuid,--wrap=getegid,--wrap=getauxval,--wrap=prctl)
target_link_libraries(drti_peer PRIVATE PkgConfig::CMOCKA)
add_test(NAME drti_peer COMMAND drti_peer)
# The directories where a program looks for sessions, and what it would tell them.
add_executable(drti_join drti_join.c ${PROJECT_SOURCE_DIR}/drti/join.c ${PROJECT_SOURCE_DIR}/drti/say.c)
target_compile_definitions(drti_join PRIVATE _GNU_SOURCE)
target_include_directories(drti_join PRIVATE ${PROJECT_SOURCE_DIR}/drti)
target_link_options(drti_join PRIVATE -Wl,--wrap=open,--wrap=fstat,--wrap=lstat,--wrap=geteuid)
target_link_libraries(drti_join PRIVATE PkgConfig::CMOCKA)
add_test(NAME drti_join COMMAND drti_join)
