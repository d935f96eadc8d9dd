# Run by test_packages_work_in_one_process of test_together.py.
from concurrent.futures import ThreadPoolExecutor

import asinh
import my_add
import torch

x = torch.rand(2, 3)
jobs = [(my_add, my_add.MyAdd(), (x, x)), (asinh, asinh.Asinh(), (x,))] * 6


def work(number, job):
    package, model, args = job
    return package.verify(model.eval(), args, dynamo=number % 4 > 1).errors["ONNX Runtime"] < 1e-6


with ThreadPoolExecutor(4) as pool:
    print(all(pool.map(work, range(len(jobs)), jobs)))
