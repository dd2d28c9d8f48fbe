package system

import (
	"bufio"
	"fmt"
	"os"
	"runtime/debug"
	"strings"

	"golang.org/x/sys/unix"
)

// ReleaseMemory returns to the operating system what the process does not need at the moment:
// free memory of the heap, and those pages of the program itself that only its start has
// read. A page that is needed again is mapped again from the file, which the system keeps in
// its cache as long as it has room (madvise(2), MADV_DONTNEED).
func ReleaseMemory() error {
	debug.FreeOSMemory()
	program, err := os.Readlink("/proc/self/exe")
	if err != nil {
		return fmt.Errorf("find the program: %w", err)
	}
	mappings, err := os.Open("/proc/self/smaps")
	if err != nil {
		return fmt.Errorf("list memory mappings: %w", err)
	}
	defer mappings.Close()
	var from, to uintptr
	lines := bufio.NewScanner(mappings)
	for lines.Scan() {
		line := lines.Text()
		switch name, value, _ := strings.Cut(line, ":"); {
		case strings.Contains(line, "-") && strings.HasSuffix(line, " "+program):
			if _, err := fmt.Sscanf(line, "%x-%x", &from, &to); err != nil {
				return fmt.Errorf("read a mapping of memory: %w", err)
			}
		// What was written to, such as a debugger's breakpoints, is only here.
		case name == "Anonymous" && strings.TrimSpace(value) == "0 kB" && from < to:
			if _, _, failed := unix.Syscall(unix.SYS_MADVISE, from, to-from, unix.MADV_DONTNEED); failed != 0 {
				return fmt.Errorf("release pages of the program: %w", failed)
			}
		case name == "VmFlags":
			from, to = 0, 0
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("list memory mappings: %w", err)
	}
	return nil
}
