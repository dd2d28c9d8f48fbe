package instance

import (
	"os"
	"syscall"
)

// attached lets a process die with the test process, however that ends.
func attached() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }

// roomy is how many bytes must be free in memory for files to go there.
const roomy = 1 << 30

// inMemory lets what tests write stay in memory, where nobody waits for a disk. A
// process that is killed loses none of it.
func inMemory() error {
	const memory = "/dev/shm"
	var room syscall.Statfs_t
	if err := syscall.Statfs(memory, &room); err != nil || room.Bavail*uint64(room.Bsize) < roomy {
		return nil
	}
	return os.Setenv("TMPDIR", memory)
}
