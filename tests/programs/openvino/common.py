# Imported by the programs of test_openvino.py.
import openvino


def core_of(*packages):
    core = openvino.Core()
    for package in packages:
        core.add_extension(package.openvino_extension())
    return core


def error_of(call):
    try:
        return str(call())
    except Exception as error:
        return str(error)
