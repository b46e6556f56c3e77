# SPDX-License-Identifier: MIT
#
# For projects that must build without DTrace too: copy this file into the project.
#
#	include(cmake/DTraceOptional.cmake)
#	dtrace_add_probes(myprogram myapp.d)
#
# The option DTRACE_PROBES (ON) asks for static probes. Where DTrace is not installed, or the option
# is OFF, all of it vanishes: dtrace_add_probes makes headers whose macros do nothing and evaluate
# nothing, and sys/sdt.h has DTRACE_PROBE to DTRACE_PROBE12, their STAP_ and DTRACE_LAZY_ namesakes,
# STAP_PROBEV, and DTRACE_PROBE_ENABLED, which is 0. DTRACE_PROBES_FOUND tells which it is.

option(DTRACE_PROBES "Build with static probes, if DTrace is installed" ON)
set(DTRACE_PROBES_FOUND FALSE)
if(DTRACE_PROBES)
	find_package(DTrace QUIET COMPONENTS SDT USDT)
	set(DTRACE_PROBES_FOUND ${DTrace_FOUND})
	if(NOT DTrace_FOUND)
		message(STATUS "DTrace is not installed: no static probes")
	endif()
endif()
if(DTRACE_PROBES_FOUND)
	return()
endif()

set(_dtrace_nothing ${CMAKE_BINARY_DIR}/dtrace-nothing CACHE INTERNAL "")

# A macro that does nothing: its arguments, bit-fields and functions too, are only looked at by the
# compiler.
function(_dtrace_nothing_macro result name nargs fixed)
	set(names ${fixed})
	set(uses)
	foreach(i RANGE ${nargs})
		if(i GREATER 0)
			list(APPEND names x${i})
			string(APPEND uses " (void)(x${i});")
		endif()
	endforeach()
	string(REPLACE ";" ", " names "${names}")
	set(${result} "${${result}}#define ${name}(${names}) do { if (0) {${uses} } } while (0)\n" PARENT_SCOPE)
endfunction()

function(_dtrace_nothing_sdt)
	set(text "/* No probes: see DTraceOptional.cmake. */\n#ifndef _SYS_SDT_H\n#define _SYS_SDT_H\n")
	string(APPEND text "#ifdef __GNUC__\n#pragma GCC system_header\n#endif\n"
		"#define DTRACE_PROBE_ENABLED(provider, name) 0\n"
		"#define _DTRACE_COUNT(...) "
		"_DTRACE_COUNT_(__VA_ARGS__, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 0)\n"
		"#define _DTRACE_COUNT_(name, a, b, c, d, e, f, g, h, i, j, k, l, n, ...) n\n"
		"#define _DTRACE_CHOOSE(macro, n, ...) _DTRACE_CHOOSE_(macro, n, __VA_ARGS__)\n"
		"#define _DTRACE_CHOOSE_(macro, n, ...) macro##n(__VA_ARGS__)\n"
		"#define STAP_PROBEV(provider, ...) STAP_PROBE(provider, __VA_ARGS__)\n")
	foreach(family DTRACE_PROBE STAP_PROBE DTRACE_LAZY_PROBE)
		string(APPEND text "#define ${family}(provider, ...) _DTRACE_CHOOSE(${family}, "
			"_DTRACE_COUNT(__VA_ARGS__), provider, __VA_ARGS__)\n")
		_dtrace_nothing_macro(text ${family}0 0 "provider;name")
		foreach(n RANGE 1 12)
			_dtrace_nothing_macro(text ${family}${n} ${n} "provider;name")
		endforeach()
	endforeach()
	file(CONFIGURE OUTPUT ${_dtrace_nothing}/sys/sdt.h CONTENT "${text}#endif\n" @ONLY)
endfunction()

# The number of arguments in a list of parameters.
function(_dtrace_nothing_count result parameters)
	string(STRIP "${parameters}" parameters)
	if(parameters STREQUAL "" OR parameters STREQUAL "void")
		set(${result} 0 PARENT_SCOPE)
		return()
	endif()
	string(REGEX REPLACE "[^,]" "" commas "${parameters}")
	string(LENGTH "${commas}" count)
	math(EXPR count "${count} + 1")
	set(${result} ${count} PARENT_SCOPE)
endfunction()

# Take parentheses within parentheses out, as of arguments that are functions.
function(_dtrace_nothing_flat text)
	set(before)
	set(now "${${text}}")
	while(NOT now STREQUAL before)
		set(before "${now}")
		string(REGEX REPLACE "(\\([^()]*)\\([^()]*\\)" "\\1" now "${now}")
	endwhile()
	set(${text} "${now}" PARENT_SCOPE)
endfunction()

# The macros of one provider's probes.
function(_dtrace_nothing_provider result provider body)
	string(REGEX MATCHALL "probe[ \t\n]+[A-Za-z0-9_]+[ \t\n]*\\([^()]*\\)" probes "${body}")
	foreach(probe IN LISTS probes)
		string(REGEX MATCH "probe[ \t\n]+([A-Za-z0-9_]+)[ \t\n]*\\(([^()]*)\\)" found "${probe}")
		string(REPLACE "__" "_" name "${CMAKE_MATCH_1}")
		_dtrace_nothing_count(nargs "${CMAKE_MATCH_2}")
		string(REPLACE "__" "_" before "${provider}")
		string(TOUPPER "${before}_${name}" name)
		_dtrace_nothing_macro(${result} ${name} ${nargs} "")
		string(APPEND ${result} "#define ${name}_ENABLED() 0\n")
	endforeach()
	set(${result} "${${result}}" PARENT_SCOPE)
endfunction()

function(_dtrace_nothing_header source header)
	file(READ ${source} declarations)
	string(REGEX REPLACE "/\\*([^*]|\\*+[^*/])*\\*+/" " " declarations "${declarations}")
	string(REGEX REPLACE "//[^\n]*" "" declarations "${declarations}")
	string(REGEX REPLACE "(^|\n)[ \t]*#[^\n]*" "\\1" declarations "${declarations}")
	string(REGEX REPLACE "[][;]" " " declarations "${declarations}")
	_dtrace_nothing_flat(declarations)
	string(REGEX MATCHALL "provider[ \t\n]+[A-Za-z0-9_]+[ \t\n]*{[^}]*}" providers
		"${declarations}")
	string(MAKE_C_IDENTIFIER "${header}" guard)
	set(text "/* No probes: see DTraceOptional.cmake. */\n#ifndef ${guard}\n#define ${guard}\n")
	string(APPEND text "#include <sys/sdt.h>\n")
	foreach(provider IN LISTS providers)
		string(REGEX MATCH "provider[ \t\n]+([A-Za-z0-9_]+)[ \t\n]*{([^}]*)" found "${provider}")
		_dtrace_nothing_provider(text ${CMAKE_MATCH_1} "${CMAKE_MATCH_2}")
	endforeach()
	file(CONFIGURE OUTPUT ${header} CONTENT "${text}#endif\n" @ONLY)
	set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
endfunction()

_dtrace_nothing_sdt()
if(NOT TARGET DTrace::SDT)
	foreach(_dtrace_target SDT drti)
		add_library(DTrace::${_dtrace_target} INTERFACE IMPORTED)
		set_target_properties(DTrace::${_dtrace_target} PROPERTIES
			INTERFACE_INCLUDE_DIRECTORIES ${_dtrace_nothing})
	endforeach()
	unset(_dtrace_target)
endif()

# As in DTraceUSDT.cmake.
function(dtrace_add_probes target)
	cmake_parse_arguments(PARSE_ARGV 1 arg "CALLED" "HEADER_DIR" "")
	if(NOT arg_HEADER_DIR)
		set(arg_HEADER_DIR ${CMAKE_CURRENT_BINARY_DIR}/${target}.probes)
	endif()
	get_filename_component(headers "${arg_HEADER_DIR}" ABSOLUTE
		BASE_DIR ${CMAKE_CURRENT_BINARY_DIR})
	foreach(provider IN LISTS arg_UNPARSED_ARGUMENTS)
		get_filename_component(source ${provider} ABSOLUTE)
		get_filename_component(name ${provider} NAME_WLE)
		_dtrace_nothing_header(${source} ${headers}/${name}.h)
	endforeach()
	target_include_directories(${target} PRIVATE ${headers} ${_dtrace_nothing})
endfunction()
