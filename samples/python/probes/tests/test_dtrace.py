# SPDX-License-Identifier: MIT
"""Tests of the module dtrace that need nothing but itself: python3 -m unittest discover tests."""

import gc
import os
import subprocess
import sys
import threading
import unittest

import dtrace


class ProviderTest(unittest.TestCase):
	def test_attributes(self):
		provider = dtrace.Provider("app", module="server")
		self.assertEqual((provider.name, provider.module, provider.probes), ("app", "server", ()))
		self.assertEqual(dtrace.Provider("app").module, "python")
		self.assertIn("app", repr(provider))

	def test_names(self):
		for name in ("", "app1", "1app", "a b", "a-b", "x" * 53, "é"):
			with self.assertRaisesRegex(ValueError, "provider"):
				dtrace.Provider(name)
		for module in ("", "a b", "a:b", "m" * 64):
			with self.assertRaisesRegex(ValueError, "module"):
				dtrace.Provider("app", module)
		with self.assertRaises(TypeError):
			dtrace.Provider(1)
		with self.assertRaises(TypeError):
			dtrace.Provider()

	def test_many(self):
		providers = [dtrace.Provider("app") for _ in range(100)]
		for provider in providers:
			provider.add_probe("p", int).fire(1)
		self.assertEqual(len({id(p.probes[0]) for p in providers}), 100)

	def test_disable(self):
		provider = dtrace.Provider("app")
		provider.disable()
		self.assertIn(provider.enable(), (True, False))
		provider.disable()

	def test_enable_declined(self):
		"""Whoever does not want probes has a script that works."""
		child = os.fork()
		if child == 0:
			os.environ["DTRACE_DOF_INIT_DISABLE"] = "1"
			os._exit(dtrace.Provider("app").enable() is not False)
		self.assertEqual(os.waitpid(child, 0)[1], 0)


class AddProbeTest(unittest.TestCase):
	def setUp(self):
		self.provider = dtrace.Provider("app")

	def test_attributes(self):
		probe = self.provider.add_probe("done", int, str, bytes, "uint8_t", "char *", function="main")
		self.assertEqual((probe.name, probe.function, probe.enabled), ("done", "main", False))
		self.assertEqual(probe.types, ("int", "str", "bytes", "uint8_t", "char *"))
		self.assertEqual(self.provider.probes, (probe,))
		self.assertEqual(repr(self.provider.add_probe("none")), "<dtrace.Probe script:none()>")

	def test_names(self):
		for name in ("", "a b", "a:b", "n" * 64, "é"):
			with self.assertRaisesRegex(ValueError, "probe"):
				self.provider.add_probe(name)
		with self.assertRaises(ValueError):
			self.provider.add_probe("p", function="f" * 256)
		self.assertEqual(self.provider.probes, ())

	def test_types(self):
		with self.assertRaisesRegex(ValueError, "unknown type 'double'"):
			self.provider.add_probe("p", "double")
		for wrong in (float, 1, None, object):
			with self.assertRaisesRegex(TypeError, "int, str, bytes"):
				self.provider.add_probe("p", wrong)
		with self.assertRaisesRegex(ValueError, "at most 32 arguments, not 33"):
			self.provider.add_probe("p", *[int] * 33)
		self.provider.add_probe("p", *[int] * 32).fire(*range(32))

	def test_call(self):
		for args, keywords in (((), {}), ((1,), {}), (("p",), {"func": "x"}), (("p",), {"function": 1})):
			with self.assertRaises(TypeError):
				self.provider.add_probe(*args, **keywords)
		with self.assertRaises(TypeError):
			dtrace.Probe()

	def test_remove(self):
		probe, other = self.provider.add_probe("p", int), self.provider.add_probe("q", int)
		self.provider.remove(probe)
		self.assertEqual(self.provider.probes, (other,))
		self.assertIn("removed", repr(probe))
		probe.fire(1)
		probe.fire_with(lambda: self.fail("it is not enabled"))
		self.assertFalse(probe.enabled)
		for wrong in (probe, 1, dtrace.Provider("app").add_probe("p")):
			with self.assertRaisesRegex(ValueError, "no probe of this provider"):
				self.provider.remove(wrong)


class FireTest(unittest.TestCase):
	def setUp(self):
		self.provider = dtrace.Provider("app")
		self.probe = self.provider.add_probe("p", int, str, bytes)

	def test_right(self):
		self.assertIsNone(self.probe.fire(1, "x", b"y"))
		self.probe.fire(True, "é\ud800\0", b"\0")
		self.probe.fire(1 << 100, "", b"")

	def test_number(self):
		for args in ((), (1,), (1, "x", b"y", 2)):
			with self.assertRaisesRegex(TypeError, f"probe p has 3 arguments, not {len(args)}"):
				self.probe.fire(*args)
		with self.assertRaises(TypeError):
			self.probe.fire(1, "x", data=b"y")

	def test_types(self):
		for args, text in ((("1", "x", b""), "argument 0 is int, not str"), ((1, b"x", b""), "argument 1 is str, not bytes"),
				   ((1, "x", "y"), "argument 2 is bytes, not str"), ((1.0, "x", b""), "argument 0 is int, not float"),
				   ((1, None, b""), "argument 1 is str, not NoneType")):
			with self.assertRaisesRegex(TypeError, text):
				self.probe.fire(*args)
		either = self.provider.add_probe("q", "char *")
		either.fire("x")
		either.fire(b"x")
		with self.assertRaisesRegex(TypeError, "argument 0 is str or bytes, not int"):
			either.fire(1)

	def test_fire_with(self):
		self.probe.fire_with(lambda: self.fail("it is not enabled"))
		with self.assertRaisesRegex(TypeError, "takes a function, not int"):
			self.probe.fire_with(1)


class LifeTest(unittest.TestCase):
	def test_probe_outlives_provider(self):
		probe = dtrace.Provider("app").add_probe("p", int)
		gc.collect()
		probe.fire(1)
		self.assertFalse(probe.enabled)
		self.assertEqual(probe.name, "p")

	def test_references(self):
		def once():
			provider = dtrace.Provider("app")
			probe = provider.add_probe("p", int, "char *", function="f")
			probe.fire(1, "x" * 100)
			probe.types, probe.name, repr(probe), provider.probes, repr(provider)
			try:
				probe.fire("x")
			except TypeError:
				pass
			provider.remove(probe)
		for _ in range(10):
			once()
		before = sys.getallocatedblocks()
		for _ in range(200):
			once()
		self.assertLess(sys.getallocatedblocks() - before, 50)

	def test_threads(self):
		provider = dtrace.Provider("app")
		probe = provider.add_probe("p", int)

		def work():
			for i in range(200):
				probe.fire(i)
				mine = provider.add_probe("mine", int)
				provider.enable()
				mine.fire(i)
				provider.remove(mine)
		threads = [threading.Thread(target=work) for _ in range(4)]
		for thread in threads:
			thread.start()
		for thread in threads:
			thread.join()
		self.assertEqual(provider.probes, (probe,))

	def test_fork(self):
		provider = dtrace.Provider("app")
		probe = provider.add_probe("p", int)
		provider.enable()
		child = os.fork()
		if child == 0:
			probe.fire(1)
			provider.add_probe("q").fire()
			provider.enable()
			os._exit(0)
		self.assertEqual(os.waitpid(child, 0)[1], 0)

	def test_interpreters(self):
		"""Each interpreter has types of its own."""
		try:
			import _xxsubinterpreters as interpreters
		except ImportError:
			self.skipTest("no interpreters module")
		other = interpreters.create()
		interpreters.run_string(other, "import sys; sys.path[:] = %r\n"
					"import dtrace\np = dtrace.Provider('app').add_probe('p', int)\np.fire(1)" % sys.path)
		interpreters.destroy(other)
		dtrace.Provider("app").add_probe("p", int).fire(1)

	def test_interpreter_left(self):
		"""The probes of other interpreters go when the program ends, which does so as it wants."""
		script = ("import _xxsubinterpreters as interpreters, sys\n"
			  "other = interpreters.create()\n"
			  "interpreters.run_string(other, 'import sys; sys.path[:] = %r; import dtrace\\n'\n"
			  "	'provider = dtrace.Provider(\"app\"); probe = provider.add_probe(\"p\")' % sys.path)\n"
			  "sys.exit(3)\n")
		done = subprocess.run([sys.executable, "-c", script], env=dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path)))
		self.assertEqual(done.returncode, 3)


if __name__ == "__main__":
	unittest.main()
