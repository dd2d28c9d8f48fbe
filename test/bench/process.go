package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// tick is the unit in which the kernel tells processor time (USER_HZ, proc(5)).
const tick = time.Second / 100

// processTime is the processor time that a process has used, user and system.
// What cannot be read counts as nothing: the process may have ended.
func processTime(pid int) time.Duration {
	fields := stat(pid)
	if len(fields) < 16 {
		return 0
	}
	return ticks(fields[11]) + ticks(fields[12])
}

// familyTime is that of a process with its children, also those that ended.
func familyTime(pid int) time.Duration {
	fields := stat(pid)
	if len(fields) < 16 {
		return 0
	}
	total := ticks(fields[11]) + ticks(fields[12]) + ticks(fields[13]) + ticks(fields[14])
	children, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid))
	if err != nil {
		return total
	}
	for child := range strings.FieldsSeq(string(children)) {
		if number, err := strconv.Atoi(child); err == nil {
			total += processTime(number)
		}
	}
	return total
}

// stat returns the fields of /proc/<pid>/stat behind the name, the state first.
func stat(pid int) []string {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return nil
	}
	_, after, _ := bytes.Cut(text[bytes.LastIndexByte(text, ')'):], []byte{' '})
	return strings.Fields(string(after))
}

func ticks(text string) time.Duration {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0
	}
	return time.Duration(n) * tick
}

// parent is the process that started another one.
func parent(pid int) int {
	fields := stat(pid)
	if len(fields) < 2 {
		return 0
	}
	n, err := strconv.Atoi(fields[1])
	if err != nil {
		return 0
	}
	return n
}

// resident is the memory that a process holds, in bytes.
func resident(pid int) (int64, error) {
	text, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "status"))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); len(fields) > 1 && fields[0] == "VmRSS:" {
			kib, err := strconv.ParseInt(fields[1], 10, 64)
			return kib << 10, err
		}
	}
	return 0, fmt.Errorf("process %d does not tell its memory", pid)
}
