# SPDX-License-Identifier: MIT
#
# dtrace_add_probes(TARGET PROVIDER.d [CALLS])
#
# Give TARGET the probes of a provider file. PROVIDER.h, made by `dtrace -h`, can be included by the
# target's sources (and DTRACE_PROBE used without it). The declarations, and what registers the
# probes when the program starts, are linked into it; if it is a static library, into what links
# with it.
#
# CALLS   compile the sites as calls (SDT_USE_CALLS) and let `dtrace -G` rewrite the target's
# objects before it is linked. Not
#	for static libraries.
#
# DTRACE_EXECUTABLE is the dtrace to use, and may be a list: a command with its first arguments.

function(dtrace_add_probes target provider)
	cmake_parse_arguments(PARSE_ARGV 2 arg "CALLS" "" "")
	if(arg_UNPARSED_ARGUMENTS)
		message(FATAL_ERROR "dtrace_add_probes: unknown argument ${arg_UNPARSED_ARGUMENTS}")
	endif()
	get_filename_component(source ${provider} ABSOLUTE)
	get_filename_component(name ${provider} NAME_WLE)
	set(folder ${CMAKE_CURRENT_BINARY_DIR}/${target}.probes)
	file(MAKE_DIRECTORY ${folder})
	_dtrace_header(${target} ${source} ${folder}/${name}.h)
	target_link_libraries(${target} PRIVATE DTrace::SDT)
	if(arg_CALLS)
		_dtrace_rewrite(${target} ${source} ${folder}/${name}.o)
	else()
		_dtrace_declare(${target} ${source} ${folder}/${name}.o)
	endif()
endfunction()

function(_dtrace_header target source header)
	get_filename_component(folder ${header} DIRECTORY)
	add_custom_command(OUTPUT ${header}
		COMMAND ${DTRACE_EXECUTABLE} -h -s ${source} -o ${header}
		DEPENDS ${source} VERBATIM)
	target_sources(${target} PRIVATE ${header})
	target_include_directories(${target} PRIVATE ${folder})
endfunction()

# The object with the declarations: it needs none of the target's objects.
function(_dtrace_declare target source object)
	add_custom_command(OUTPUT ${object}
		COMMAND ${DTRACE_EXECUTABLE} -G -s ${source} -o ${object}
		DEPENDS ${source} VERBATIM)
	get_target_property(type ${target} TYPE)
	if(type STREQUAL "STATIC_LIBRARY")
		# A member of an archive that nothing refers to would not be linked.
		add_custom_target(${target}.declarations DEPENDS ${object})
		add_dependencies(${target} ${target}.declarations)
		target_link_libraries(${target} INTERFACE ${object})
	else()
		set_source_files_properties(${object} PROPERTIES
			EXTERNAL_OBJECT TRUE GENERATED TRUE)
		target_sources(${target} PRIVATE ${object})
	endif()
endfunction()

function(_dtrace_rewrite target source object)
	get_target_property(type ${target} TYPE)
	if(type STREQUAL "STATIC_LIBRARY")
		message(FATAL_ERROR "dtrace_add_probes: no CALLS in static libraries: ${target}")
	endif()
	target_compile_definitions(${target} PRIVATE SDT_USE_CALLS)
	add_custom_command(TARGET ${target} PRE_LINK
		COMMAND ${DTRACE_EXECUTABLE} -G -s ${source} -o ${object}
			"$<TARGET_OBJECTS:${target}>"
		COMMAND_EXPAND_LISTS VERBATIM)
	target_link_options(${target} PRIVATE ${object})
	set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS ${source})
endfunction()
