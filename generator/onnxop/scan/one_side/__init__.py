"""Conditions of which an exported file has one side.

An exporter runs the model's Python once, with the example inputs. At ``y if x.sum() > 0 else z``,
Python takes one side. `torch.jit.trace` records the operators of that side alone: it *keeps* this
side, and the file is wrong, without an error, for inputs that take the other one. torch.export
stops at such a condition on data. Of a condition on sizes, a file of either may have one side. A
number that Python reads of a tensor, such as ``int(x.max())``, is kept likewise.

A scan asks, in this order:

- `kept_sides`: of which conditions does the trace keep one side?
- `other_sides`: which inputs take another side, and is the file wrong for these?
- `taken_sides`: which of these conditions do inputs that are known already take differently?
- `asked_within`: which inputs decide what PyTorch's own modules ask for?
- `data_conditions`, `size_conditions`: is this why an export fails, and what is to be written?

`wording` has the sentences on what is kept.
"""
