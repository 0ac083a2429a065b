"""How much memory this process has needed, on every platform."""

from __future__ import annotations

import sys


def peak_memory_mb() -> float:
    """The most memory this process has had, in MiB."""
    if sys.platform == "win32":
        return _windows_peak_bytes() / 2**20
    import resource  # not on Windows

    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most / 2**20 if sys.platform == "darwin" else most / 1024  # bytes on macOS, KiB elsewhere


def _windows_peak_bytes() -> int:
    import ctypes
    from ctypes import wintypes

    class Counters(ctypes.Structure):
        """PROCESS_MEMORY_COUNTERS."""

        _fields_ = (
            ("cb", wintypes.DWORD),
            ("page_faults", wintypes.DWORD),
            *((f"size_{number}", ctypes.c_size_t) for number in range(8)),
        )

    counters = Counters()
    counters.cb = ctypes.sizeof(counters)
    windows = ctypes.WinDLL("psapi")  # type: ignore[attr-defined, unused-ignore]  # on Windows only
    process = ctypes.WinDLL("kernel32").GetCurrentProcess()  # type: ignore[attr-defined, unused-ignore]
    if not windows.GetProcessMemoryInfo(wintypes.HANDLE(process), ctypes.byref(counters), counters.cb):
        return 0
    return int(counters.size_0)  # PeakWorkingSetSize
