package system_test

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"gatehouse.internal/adapters/system"
)

// The pages of the program that were read leave the memory of the process, and what it does
// goes on.
func TestReleaseMemory(t *testing.T) {
	before := programPages(t)
	if err := system.ReleaseMemory(); err != nil {
		t.Fatal(err)
	}
	if after := programPages(t); after >= before {
		t.Errorf("the program has %d kB of files in memory, %d kB before", after, before)
	}
}

// programPages returns how many kilobytes of files are mapped into memory.
func programPages(t *testing.T) int {
	t.Helper()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	_, found, _ := strings.Cut(string(status), "RssFile:")
	pages, err := strconv.Atoi(strings.Fields(found)[0])
	if err != nil {
		t.Fatal(err)
	}
	return pages
}
