# SPDX-License-Identifier: MIT
# The library for probes at run time; what it registers is read back by the engine.
add_executable(probes probes.c ${PROJECT_SOURCE_DIR}/probes/probes.c ${PROJECT_SOURCE_DIR}/probes/slab.c
	       ${PROJECT_SOURCE_DIR}/probes/kept.c ${PROJECT_SOURCE_DIR}/probes/memory_file.c
	       ${PROJECT_SOURCE_DIR}/probes/site_x86_64.c
	       ${PROJECT_SOURCE_DIR}/drti/registrar.c ${PROJECT_SOURCE_DIR}/drti/join.c
	       ${PROJECT_SOURCE_DIR}/drti/peer.c ${PROJECT_SOURCE_DIR}/drti/say.c ${DRTI_DOFBUILD}
	       ${DRTI_OPERANDS})
target_compile_definitions(probes PRIVATE _GNU_SOURCE)
target_include_directories(probes PRIVATE ${PROJECT_SOURCE_DIR}/drti ${PROJECT_SOURCE_DIR}/sdk/include)
target_link_options(probes PRIVATE -Wl,--wrap=ioctl,--wrap=join_open,--wrap=calloc,--wrap=strdup,--wrap=open,--wrap=memfd_create,--wrap=mmap)
target_link_libraries(probes PRIVATE dtrace_engine PkgConfig::CMOCKA)
add_test(NAME probes COMMAND probes)
