package runs

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// tryLock takes the lock of an open file, which the system gives back when the process ends in any way. The
// locked byte lies behind the text, which others read.
func tryLock(f *os.File) (bool, error) {
	return lockFile(f, windows.LOCKFILE_EXCLUSIVE_LOCK)
}

// tryLockShared succeeds when nobody holds the lock.
func tryLockShared(f *os.File) (bool, error) { return lockFile(f, 0) }

func lockFile(f *os.File, flags uint32) (bool, error) {
	at := &windows.Overlapped{Offset: 1 << 20}
	err := windows.LockFileEx(windows.Handle(f.Fd()), flags|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, at)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return false, nil
	}
	return err == nil, err
}
