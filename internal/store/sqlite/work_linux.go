package sqlite

import (
	"syscall"
	"time"
	"unsafe"
)

// threadClock is the clock that counts the processor time of the thread that asks (CLOCK_THREAD_CPUTIME_ID).
const threadClock = 3

// threadTime is how long the thread that asks has had a processor.
func threadTime() (used time.Duration, known bool) {
	var at syscall.Timespec
	_, _, failed := syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, threadClock, uintptr(unsafe.Pointer(&at)), 0)
	return time.Duration(at.Nano()), failed == 0
}
