# Run by test_what_it_says_of_sessions, test_what_it_says_at_the_end of test_native.py.
import sys

import my_add
import onnx
import onnxruntime


def model(domain, dtypes=("float", "float"), ir=8):
    text = f'''<ir_version: {ir}, opset_import: ["" : 18, "{domain}" : 1]>
    g ({dtypes[0]}[2] x, {dtypes[1]}[2] z) => ({dtypes[0]}[2] y) {{ y = {domain}.my_add(x, z) }}
    <domain: "{domain}", opset_import: ["" : 18]> my_add (a, b) => (c) {{ c = Add(a, b) }}'''
    return onnx.parser.parse_model(text).SerializeToString()


def load(entries, *models):
    options = onnxruntime.SessionOptions()
    for key, value in entries.items():
        options.add_session_config_entry(key, value)
    options.register_custom_ops_library(my_add.library_path())
    for model in models:
        print("loading", file=sys.stderr)
        try:
            onnxruntime.InferenceSession(model, options)
        except Exception as error:
            print(error)
    onnxruntime.SessionOptions().register_custom_ops_library(my_add.library_path())


key, own, other = "onnxop.domains.my_lib::my_add", model("my_lib"), model("other")
