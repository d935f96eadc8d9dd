from onnxop_runtime import API, OLDEST_API, Package

for api in (API + 1, OLDEST_API - 1):
    try:
        Package("acme", api=api)
    except ImportError as error:
        print(error)
