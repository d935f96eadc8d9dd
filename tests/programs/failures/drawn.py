# Run by test_a_drawn_call_that_ends_the_process_is_named of test_failures.py.
import ctypes


class TestDrawn:
    def test_drawn_calls(self, draws):
        with draws.watch("my_lib::right: the drawn call a"):
            pass
        with draws.watch("my_lib::crashes: the drawn call a float32[3]"):
            ctypes.string_at(0)
