"""What a path leads to in the file system: plain files are read and replaced, and what was written is on the disk.

A named pipe would be waited for without end and a device could be replaced by a file, so both are refused; what the
process was handed by its caller, standard input or ``<(COMMAND)`` of a shell, is read.
"""

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO

from sttest.core.errors import InputError

_OPENED = (Path("/dev/fd"), Path("/proc/self/fd"))
"""Folders of what the process has open already."""
_KINDS = {
    stat.S_IFDIR: os.strerror(errno.EISDIR),
    stat.S_IFIFO: "it is a named pipe, which might never end",
    stat.S_IFCHR: "it is a device",
    stat.S_IFBLK: "it is a device",
    stat.S_IFSOCK: "it is a socket",
}


def is_handed(path: Path) -> bool:
    """Whether the process was given it open: ``/dev/stdin``, or ``/dev/fd/63``, a shell's ``<(COMMAND)``."""
    return path == Path("/dev/stdin") or path.parent in _OPENED


def why_no_file(path: Path) -> str:
    """What is in the place of a plain file: nothing, or something else, by its name."""
    try:
        kind = stat.S_IFMT(path.stat().st_mode)
    except FileNotFoundError:
        return "no such file or folder"
    except OSError as error:
        return str(error.strerror)
    return "a folder, not a file" if kind == stat.S_IFDIR else _KINDS.get(kind, "it is no file")


def open_to_read(path: Path) -> BinaryIO:
    """A plain file, or something that the process was handed, opened; nothing is waited for.

    Raises:
        OSError: there is no such file, it may not be read, or it is something else, which ``strerror`` says.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    kind = stat.S_IFMT(os.fstat(descriptor).st_mode)
    if kind != stat.S_IFREG and (kind == stat.S_IFDIR or not is_handed(path)):
        os.close(descriptor)
        raise OSError(errno.EINVAL, _KINDS.get(kind, "it is no file"), str(path))
    os.set_blocking(descriptor, True)
    return os.fdopen(descriptor, "rb")


def why_no_current_folder() -> InputError | None:
    """What is wrong with the current folder, where somebody deleted it; each relative path, and more, needs one."""
    try:
        os.getcwd()  # noqa: PTH109 - the same
    except FileNotFoundError:
        return InputError("no-folder", "the current folder was deleted", hints=["cd to a folder that is there"])
    return None


def check_replaceable(path: Path) -> None:
    """Refuses to put a file in the place of anything but a file.

    Raises:
        InputError: a device, a pipe or a folder is there, or the place is the system's own.
    """
    kind = stat.S_IFMT(path.stat().st_mode) if path.exists() else stat.S_IFREG
    if kind == stat.S_IFREG and path.absolute().parent not in (Path("/dev"), *_OPENED):
        return
    what = _KINDS.get(kind, "it is the system's own").partition(",")[0]
    hints = ["name a file", "leave the option out to print what can be printed"]
    raise InputError("not-a-file", f"cannot be written: {what}", where=str(path), hints=hints)


def sync(path: Path) -> None:
    """Waits until a file's content, or a folder's names, are on the disk.

    Raises:
        OSError: they could not be written.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
    except OSError as error:
        # Not every file system can do it for folders, and not every folder may be read by who may write there.
        if error.errno not in (errno.EINVAL, errno.ENOTSUP, errno.EACCES) or not path.is_dir():
            raise


def sync_tree(folder: Path) -> None:
    """The same for all that a folder holds.

    Raises:
        OSError: see :func:`sync`.
    """
    for place, _, names in os.walk(folder, topdown=False):
        for name in names:
            sync(Path(place, name))
        sync(Path(place))


def is_there(name: str) -> bool:
    """Whether there is a file or folder of a name; any text may be asked for, be it too long for a path."""
    return os.path.exists(name)  # noqa: PTH110 (pathlib raises)


def is_folder(name: str) -> bool:
    """Whether there is a folder of a name; see :func:`is_there`."""
    return os.path.isdir(name)  # noqa: PTH112 (pathlib raises)
