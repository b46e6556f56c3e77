# SPDX-License-Identifier: MIT
"""Answers requests that it makes up itself, and has a probe where one begins and one where it is done."""

import sys
import time

import dtrace

server = dtrace.Provider("server")
start = server.add_probe("request__start", str, int, function="answer")
done = server.add_probe("request__done", str, int, "char *", function="answer")
server.enable()

PAGES = {"/": 200, "/big": 5000}


def answer(number, path):
	start.fire(path, number)
	text = b"." * PAGES.get(path, 0)
	time.sleep(len(text) / 1e6)
	done.fire_with(lambda: (path, 200 if text else 404, " ".join(sorted(PAGES))))
	return text


if __name__ == "__main__":
	for number in range(int(sys.argv[1])):
		answer(number, ("/", "/big", "/none")[number % 3])
