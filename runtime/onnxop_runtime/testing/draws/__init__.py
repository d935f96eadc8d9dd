"""Calls that samples do not make: how they are drawn, and compared with the reference.

The path of a drawn call, from a sample of the spec: `choices` says what of the sample may change,
and to what (other sizes, dtypes, layouts, numbers, text). `plans` makes of these the calls of each
run; `calls.strategies` lets hypothesis draw others from the run's seed. Each is a
`calls.call.DrawnCall`, which makes the arguments, and which `calls.search` runs within the time of
a test. `judging` computes what the reference gives, and how far a right result may be from it; a
call that is refused must be one that the spec's errors explain. `drawn_tests` has the tests that do
these steps, for results, gradients and exports. Where one fails, `calls.simpler` looks for the
smallest call that fails, too.

A room imports those before it: choices, calls, plans; judging imports choices and calls.
"""
