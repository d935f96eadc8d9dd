"""Other processes: forks that do pieces of work, and Pythons that answer lines. Code that may
crash, hang or take all memory runs in them.
"""

from .death import ProcessDied as ProcessDied
from .fence import raise_fence as raise_fence
from .forks import DEFAULT_LIMITS as DEFAULT_LIMITS
from .forks import Fork as Fork
from .forks import collect as collect
from .forks import run as run
from .forks import run_each as run_each
from .limits import Limits as Limits
from .limits import allow_cpu_time as allow_cpu_time
from .output import quiet as quiet
from .output import reserve_stdout as reserve_stdout
from .python import PythonProcess as PythonProcess
from .python import run_python as run_python
