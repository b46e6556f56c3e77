# SPDX-License-Identifier: MIT
# The compiler, with each of its allocations failing in turn.
add_executable(compile_nomem compile_nomem.c)
target_compile_definitions(compile_nomem PRIVATE _GNU_SOURCE
	TYPES="${PROJECT_BINARY_DIR}/test/compile/types"
	KALLSYMS="${PROJECT_SOURCE_DIR}/test/compile/kallsyms"
	LIBRARIES="${PROJECT_SOURCE_DIR}/test/compile/lib")
add_dependencies(compile_nomem btf_types)
target_link_libraries(compile_nomem PRIVATE libdtrace_static PkgConfig::CMOCKA)
target_link_options(compile_nomem PRIVATE -Wl,--wrap=calloc -Wl,--wrap=realloc)
add_test(NAME compile_nomem COMMAND compile_nomem)
# The types of a kernel.
add_executable(compile_ktype compile_ktype.c)
target_compile_definitions(compile_ktype PRIVATE _GNU_SOURCE TYPES="${PROJECT_BINARY_DIR}/test/compile/types")
target_include_directories(compile_ktype PRIVATE ${PROJECT_SOURCE_DIR}/libdtrace/compile)
add_dependencies(compile_ktype btf_types)
target_link_libraries(compile_ktype PRIVATE libdtrace_static PkgConfig::CMOCKA)
add_test(NAME compile_ktype COMMAND compile_ktype)
