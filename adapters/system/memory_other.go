//go:build !linux

package system

import "runtime/debug"

// ReleaseMemory returns free memory of the heap to the operating system. It never fails.
func ReleaseMemory() error {
	debug.FreeOSMemory()
	return nil
}
