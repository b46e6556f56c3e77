# SPDX-License-Identifier: MIT
#
# dtrace_add_probes(TARGET PROVIDER.d... [HEADER_DIR FOLDER] [CALLED])
#
# Give TARGET, an executable or a STATIC, SHARED, MODULE or OBJECT library, the probes of provider
# files.
#
# For each file X.d the target's sources can include X.h, made by `dtrace -h` (and use DTRACE_PROBE
# of sys/sdt.h without it). The declarations of X.d, and what registers the probes when the program
# starts, are linked into the target. A static library holds them itself: they come along when it is
# installed, exported or linked into something else. An OBJECT library gives them to the targets
# that link to it by name; those that take only its $<TARGET_OBJECTS> need dtrace_add_probes of
# their own.
#
# HEADER_DIR  where the headers are made: a folder in the build tree, which targets may share.
#             Default: TARGET.probes in CMAKE_CURRENT_BINARY_DIR. It becomes an include directory of
#             the target
# CALLED      sites are calls (SDT_USE_CALLS), which `dtrace -G` turns into NOPs as each object is
#             compiled. Not with link-time optimisation; gdb, perf and bpftrace do not see such
#             sites. One call names all provider files of the target
#
# A file is made again when X.d changes; what depends on it is, if the file then differs.
#
# Variables, when the function is called:
#   DTRACE_EXECUTABLE  the dtrace to use, and may be a list: a command with its first arguments
#   DTRACE_FLAGS       more options for it, such as -C and -I
#   DTRACE_DEPENDS     targets and files that it needs: if the project builds it itself, and what the
#                      provider files include
#
# Every object and header can be made with any generator for make or Ninja, for several
# configurations too.

# Functions keep these policies, whatever the project's are: targets of other folders are given probes
# too (CMP0079).
cmake_policy(PUSH)
cmake_policy(VERSION 3.18...3.25)

# The machine that programs are for, as dtrace -G names it, and its start-up object: empty if it can
# have none.
function(_dtrace_machine machine drti)
	string(TOLOWER "${CMAKE_SYSTEM_PROCESSOR}" processor)
	set(object)
	if(processor MATCHES "^(aarch64|arm64)$")
		set(processor aarch64)
		set(object aarch64/drti.o)
	elseif(processor MATCHES "^(x86_64|amd64|x86|i.86)$" AND CMAKE_SIZEOF_VOID_P EQUAL 4)
		set(processor i386)
		set(object drti32.o)
	elseif(processor MATCHES "^(x86_64|amd64)$")
		set(processor x86_64)
		set(object drti.o)
	endif()
	set(${machine} ${processor} PARENT_SCOPE)
	set(${drti} "${object}" PARENT_SCOPE)
endfunction()

function(dtrace_add_probes target)
	cmake_parse_arguments(PARSE_ARGV 1 arg "CALLED" "HEADER_DIR" "")
	foreach(variable DTRACE_EXECUTABLE DTRACE_INCLUDE_DIR DTRACE_DEPENDS)
		if(NOT ${variable})
			get_property(${variable} GLOBAL PROPERTY ${variable})
		endif()
	endforeach()
	_dtrace_check(${target} "${arg_UNPARSED_ARGUMENTS}" "${arg_KEYWORDS_MISSING_VALUES}" ${arg_CALLED})
	set(folder ${CMAKE_CURRENT_BINARY_DIR}/${target}.probes)
	if(NOT arg_HEADER_DIR)
		set(arg_HEADER_DIR ${folder})
	endif()
	get_filename_component(headers "${arg_HEADER_DIR}" ABSOLUTE
		BASE_DIR ${CMAKE_CURRENT_BINARY_DIR})
	set(sources)
	foreach(provider IN LISTS arg_UNPARSED_ARGUMENTS)
		get_filename_component(source ${provider} ABSOLUTE)
		get_filename_component(name ${provider} NAME_WLE)
		list(APPEND sources ${source})
		_dtrace_header(${target} ${source} ${headers}/${name}.h)
		_dtrace_declare(${target} ${source} ${folder}/${name}.o)
	endforeach()
	target_include_directories(${target} PRIVATE ${headers} ${DTRACE_INCLUDE_DIR})
	set_target_properties(${target} PROPERTIES DTRACE_FORM RECORDED)
	if(arg_CALLED)
		set_target_properties(${target} PROPERTIES DTRACE_FORM CALLED)
		_dtrace_call_sites(${target} ${folder} "${sources}")
	endif()
endfunction()

function(_dtrace_check target providers missing called)
	if(NOT TARGET ${target})
		message(FATAL_ERROR "dtrace_add_probes: there is no target ${target}")
	endif()
	get_target_property(type ${target} TYPE)
	if(NOT type MATCHES "^(EXECUTABLE|(STATIC|SHARED|MODULE|OBJECT)_LIBRARY)$")
		message(FATAL_ERROR "dtrace_add_probes: ${target} has no code of its own (${type})")
	endif()
	if(missing)
		message(FATAL_ERROR "dtrace_add_probes: ${missing} needs a value")
	endif()
	if(NOT providers)
		message(FATAL_ERROR "dtrace_add_probes: no provider file for ${target}")
	endif()
	get_target_property(before ${target} DTRACE_FORM)
	if(before AND (called OR before STREQUAL "CALLED"))
		message(FATAL_ERROR "dtrace_add_probes: ${target} has probes already: with CALLED, "
			"name all its provider files in one call")
	endif()
	foreach(provider IN LISTS providers)
		get_filename_component(source ${provider} ABSOLUTE)
		get_source_file_property(generated ${source} GENERATED)
		if(NOT EXISTS ${source} AND NOT generated)
			message(FATAL_ERROR "dtrace_add_probes: ${provider} is neither a provider file "
				"nor a word that is known (HEADER_DIR, CALLED)")
		endif()
	endforeach()
endfunction()

# _dtrace_make(OUTPUT SOURCE ARGUMENTS...): a rule for OUTPUT, which is left alone if it would be
# the same; NAME.stamp tells when it was looked at. One rule is enough for all targets that share
# OUTPUT. Sets `maker` in the caller: the target that runs the rule.
function(_dtrace_make output source)
	string(MD5 id ${output})
	set(maker dtrace.${id} PARENT_SCOPE)
	if(TARGET dtrace.${id})
		get_target_property(before dtrace.${id} DTRACE_SOURCE)
		if(NOT before STREQUAL source)
			message(FATAL_ERROR "dtrace_add_probes: ${before} and ${source} would both "
				"become ${output}: give one another name, or targets another HEADER_DIR")
		endif()
		return()
	endif()
	get_filename_component(folder ${output} DIRECTORY)
	get_filename_component(file ${output} NAME)
	file(MAKE_DIRECTORY ${folder}/new)
	add_custom_command(OUTPUT ${output}.stamp BYPRODUCTS ${output}
		COMMAND ${DTRACE_EXECUTABLE} ${ARGN} ${DTRACE_FLAGS} -s ${source} -o
			${folder}/new/${file}
		COMMAND ${CMAKE_COMMAND} -E copy_if_different ${folder}/new/${file} ${output}
		COMMAND ${CMAKE_COMMAND} -E touch ${output}.stamp
		DEPENDS ${source} ${DTRACE_DEPENDS} COMMENT "Generating ${file}" VERBATIM)
	add_custom_target(dtrace.${id} DEPENDS ${output}.stamp)
	set_target_properties(dtrace.${id} PROPERTIES DTRACE_SOURCE ${source})
endfunction()

function(_dtrace_header target source header)
	_dtrace_make(${header} ${source} -h)
	add_dependencies(${target} ${maker})
endfunction()

# The object with the declarations: it needs none of the target's objects.
function(_dtrace_declare target source object)
	get_filename_component(name ${source} NAME_WLE)
	string(MAKE_C_IDENTIFIER "__dtrace_anchor_${target}_${name}" anchor)
	_dtrace_machine(machine drti)
	_dtrace_make(${object} ${source} -G -x machine=${machine} -x anchor=${anchor})
	add_dependencies(${target} ${maker})
	get_target_property(type ${target} TYPE)
	if(type STREQUAL "OBJECT_LIBRARY")
		target_link_libraries(${target} INTERFACE $<BUILD_INTERFACE:${object}>)
		return()
	endif()
	set_source_files_properties(${object} TARGET_DIRECTORY ${target}
		PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
	target_sources(${target} PRIVATE ${object})
	if(type STREQUAL "STATIC_LIBRARY")
		# Nothing refers to that member of the archive: make the linker take it.
		target_link_libraries(${target} INTERFACE "-Wl,--undefined=${anchor}")
	endif()
endfunction()

# Compile by way of DTraceCallSites.sh, which has `dtrace -G` rewrite the object.
function(_dtrace_call_sites target folder sources)
	list(LENGTH sources count)
	set(declarations ${sources})
	if(count GREATER 1)
		set(declarations ${folder}/call_sites.d)
		add_custom_command(OUTPUT ${declarations}
			COMMAND sh -c "cat \"$@\" >\"$0\"" ${declarations} ${sources}
			DEPENDS ${sources} VERBATIM)
		add_custom_target(${target}.call_sites DEPENDS ${declarations})
		add_dependencies(${target} ${target}.call_sites)
	endif()
	target_compile_definitions(${target} PRIVATE SDT_USE_CALLS)
	foreach(language C CXX)
		set(command sh ${_dtrace_call_sites_script} ${DTRACE_EXECUTABLE} ${DTRACE_FLAGS}
			-s ${declarations} --)
		get_target_property(launcher ${target} ${language}_COMPILER_LAUNCHER)
		if(launcher)
			list(APPEND command ${launcher})
		endif()
		set_target_properties(${target} PROPERTIES
			${language}_COMPILER_LAUNCHER "${command}")
	endforeach()
endfunction()

set(_dtrace_call_sites_script "${CMAKE_CURRENT_LIST_DIR}/DTraceCallSites.sh" CACHE INTERNAL "")
cmake_policy(POP)
