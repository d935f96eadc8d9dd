"""The rights that this process gives up: to change files, to open sockets, to start programs.

`raise_fence` asks two parts of Linux, each of which holds for root and for users, and for all
threads and forks that the process starts from then on. Landlock refuses by the object, seccomp by
the system call. Files that are open stay open.
"""

from __future__ import annotations

import ctypes
import os
import platform
import struct
from collections.abc import Sequence

_MODES = "change modes, owners and times of files"  # by seccomp alone
RIGHTS = ("change files", _MODES, "open sockets", "start programs")

_PR_SET_NO_NEW_PRIVS = 38
_PR_SET_SECCOMP = 22
_SECCOMP_MODE_FILTER = 2


def raise_fence() -> list[str]:
    """Give up the rights for good. Return those that neither Landlock nor seccomp could take."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0:
        return [*RIGHTS]
    taken = _landlock(libc) | _seccomp(libc)
    return [right for right in RIGHTS if right not in taken]


# Landlock: linux/landlock.h. A ruleset without rules refuses whatever it handles.

_CREATE_RULESET, _RESTRICT_SELF = 444, 446
_VERSION = 1  # a flag of the former
_EXECUTE, _WRITE_FILE = 1 << 0, 1 << 1
_REMOVE_AND_MAKE = sum(1 << bit for bit in range(4, 13))
_FILES = {1: _EXECUTE | _WRITE_FILE | _REMOVE_AND_MAKE, 2: 1 << 13, 3: 1 << 14, 5: 1 << 15}
"""The rights to files by the version that has them first: to link to other folders, to truncate, to
ioctl.
"""
_TCP = {4: 0b11}
_SCOPES = {6: 0b11}
"""Abstract Unix sockets, and signals to processes outside."""


def _landlock(libc: ctypes.CDLL) -> set[str]:
    """Take rights on files, ports and processes from this process by Landlock; return those
    taken.
    """
    version = libc.syscall(_CREATE_RULESET, None, 0, _VERSION)
    if version < 1:
        return set()
    handled = [
        sum(bits for first, bits in table.items() if version >= first)
        for table in (_FILES, _TCP, _SCOPES)
    ]
    attributes = struct.pack("=QQQ", *handled)
    attributes_size = 8 if version < 4 else 16 if version < 6 else 24
    ruleset = libc.syscall(_CREATE_RULESET, attributes, attributes_size, 0)
    if ruleset < 0:
        return set()
    is_restricted = libc.syscall(_RESTRICT_SELF, ruleset, 0) == 0
    os.close(ruleset)
    if not is_restricted:
        return set()
    # Before version 3, files could be truncated. It knows no sockets but those of TCP.
    return {"start programs", "change files"} if version >= 3 else {"start programs"}


# seccomp: linux/seccomp.h, linux/filter.h. A program of classic BPF looks at the number and the
# arguments of each system call.

_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16  # offsets in seccomp_data
_ALLOW, _REFUSE = 0x7FFF0000, 0x00050000
_EPERM, _ENOSYS = 1, 38
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_CLONE_THREAD = 0x00010000
_MACHINES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
"""The column of a machine in the table below, and its number in linux/audit.h."""
_FORBIDDEN = """
    socket:41:198 socketpair:53:199 connect:42:203 bind:49:200 listen:50:201 accept:43:202
    accept4:288:242 sendto:44:206 sendmsg:46:211 sendmmsg:307:269 setsockopt:54:208

    execve:59:221 execveat:322:281 fork:57:- vfork:58:- ptrace:101:117 process_vm_readv:310:270
    process_vm_writev:311:271 process_madvise:440:440 pidfd_open:434:434 pidfd_getfd:438:438
    pidfd_send_signal:424:424 kcmp:312:272 tkill:200:130 rt_sigqueueinfo:129:138
    rt_tgsigqueueinfo:297:240

    creat:85:- truncate:76:45 ftruncate:77:46 fallocate:285:47 rename:82:- renameat:264:38
    renameat2:316:276 mkdir:83:- mkdirat:258:34 rmdir:84:- link:86:- linkat:265:37 unlink:87:-
    unlinkat:263:35 symlink:88:- symlinkat:266:36 mknod:133:- mknodat:259:33 chmod:90:- fchmod:91:52
    fchmodat:268:53 fchmodat2:452:452 chown:92:- fchown:93:55 lchown:94:- fchownat:260:54
    utime:132:- utimes:235:- utimensat:280:88 futimesat:261:- setxattr:188:5 lsetxattr:189:6
    fsetxattr:190:7 setxattrat:463:463 removexattr:197:14 lremovexattr:198:15 fremovexattr:199:16
    removexattrat:466:466 open_by_handle_at:304:265 file_setattr:469:469

    mount:165:40 umount2:166:39 move_mount:429:429 open_tree:428:428 open_tree_attr:467:467
    fsopen:430:430 fsconfig:431:431 fsmount:432:432 fspick:433:433 mount_setattr:442:442
    pivot_root:155:41 chroot:161:51 unshare:272:97 setns:308:268 acct:163:89 swapon:167:224
    swapoff:168:225 reboot:169:142 sethostname:170:161 setdomainname:171:162 iopl:172:- ioperm:173:-
    init_module:175:105 finit_module:313:273 delete_module:176:106 kexec_load:246:104
    kexec_file_load:320:294 syslog:103:116 quotactl:179:60 quotactl_fd:443:443 settimeofday:164:170
    clock_settime:227:112 adjtimex:159:171 clock_adjtime:305:266 bpf:321:280 perf_event_open:298:241
    userfaultfd:323:282 add_key:248:217 request_key:249:218 keyctl:250:219 io_uring_setup:425:425
    io_uring_enter:426:426 io_uring_register:427:427 fanotify_init:300:262

    shmget:29:194 shmat:30:196 shmctl:31:195 semget:64:190 semop:65:193 semctl:66:191
    semtimedop:220:192 msgget:68:186 msgsnd:69:189 msgrcv:70:188 msgctl:71:187 mq_open:240:180
    mq_unlink:241:181 mq_timedsend:242:182
"""
"""The system calls that are refused, with their numbers on x86_64 and aarch64: sockets; programs,
and other processes; files; the system; messages and shared memory.
"""
_UNKNOWN = "openat2:437:437 clone3:435:435"
"""Their flags are in memory, where no filter looks. As they are told to be unknown, the C library
calls others.
"""
_NEWEST = 470
"""The number of the first system call that is newer than this table; all from here on are unknown.
"""
_OPEN, _OPENAT, _CLONE = "open:2:-", "openat:257:56", "clone:56:220"
_SIGNALS, _LIMITS = "kill:62:129 tgkill:234:131", "prlimit64:302:261"

Instruction = tuple[int, int, int, int]


def _seccomp(libc: ctypes.CDLL) -> set[str]:
    """Take rights from this process by a filter of system calls; return those taken."""
    machine = platform.machine()
    if machine not in _MACHINES or struct.calcsize("P") != 8:
        return set()
    program = b"".join(struct.pack("=HBBI", *instruction) for instruction in _program(machine))
    buffer = ctypes.create_string_buffer(program)
    header = struct.pack("HxxxxxxP", len(program) // 8, ctypes.addressof(buffer))
    if libc.prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, header, 0, 0) != 0:
        return set()
    return {*RIGHTS}


def _program(machine: str) -> list[Instruction]:
    """Return the program: a refusal for each forbidden call, and for others by their arguments."""
    column, audit_number = _MACHINES[machine]
    program = [
        _load(_ARCHITECTURE),
        *_unless(_EQUAL, audit_number, _EPERM),
        _load(_NUMBER),
        *_if(_AT_LEAST, _NEWEST, _ENOSYS),
    ]
    for number in _numbers(_FORBIDDEN, column):
        program += _if(_EQUAL, number, _EPERM)
    for number in _numbers(_UNKNOWN, column):
        program += _if(_EQUAL, number, _ENOSYS)
    for call, index in ((_OPEN, 1), (_OPENAT, 2)):
        program += _in_call(call, column, index, _if(_ANY_BIT, _WRITES, _EPERM))
    program += _in_call(_CLONE, column, 0, _unless(_ANY_BIT, _CLONE_THREAD, _EPERM))
    to_itself = _unless(_EQUAL, os.getpid(), _EPERM)
    program += _in_call(_SIGNALS, column, 0, to_itself)
    program += _in_call(_LIMITS, column, 0, _unless_zero(to_itself))
    return [*program, _returned(_ALLOW)]


def _numbers(table: str, column: int) -> list[int]:
    """Return the numbers of system calls on a machine, except of those that it does not have."""
    cells = [entry.split(":")[1 + column] for entry in table.split()]
    return [int(cell) for cell in cells if cell != "-"]


def _in_call(
    calls: str, column: int, index: int, checks: Sequence[Instruction]
) -> list[Instruction]:
    """Return checks of the lower half of an argument of calls, which are allowed if they pass."""
    body = [_load(_ARGUMENTS + 8 * index), *checks, _returned(_ALLOW)]
    program: list[Instruction] = []
    for number in _numbers(calls, column):
        program += [(_EQUAL, 0, len(body), number), *body]
    return program


def _unless_zero(checks: Sequence[Instruction]) -> list[Instruction]:
    """Return checks that pass if the loaded number is 0."""
    return [(_EQUAL, len(checks), 0, 0), *checks]


def _if(comparison: int, operand: int, error: int) -> list[Instruction]:
    """Return a refusal of calls for which the comparison of the loaded number holds."""
    return [(comparison, 0, 1, operand), _returned(_REFUSE | error)]


def _unless(comparison: int, operand: int, error: int) -> list[Instruction]:
    """Return a refusal of calls for which the comparison of the loaded number does not hold."""
    return [(comparison, 1, 0, operand), _returned(_REFUSE | error)]


def _load(offset: int) -> Instruction:
    return _LOAD, 0, 0, offset


def _returned(value: int) -> Instruction:
    return _RETURN, 0, 0, value
