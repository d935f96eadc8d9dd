"""Says so where setuptools is too old for pyproject.toml, which has all the rest."""

import setuptools

if int(setuptools.__version__.partition(".")[0]) < 77:
    raise SystemExit(
        f"setuptools {setuptools.__version__} is older than 77; run pip install without "
        "--no-build-isolation, or first pip install --upgrade setuptools"
    )

setuptools.setup()
