package password

import "errors"

// Bounds of Argon2, of our own settings as of imported hashes. Memory is in KiB.
const (
	minMemory = 1 << 10
	// minImportedMemory is the least memory of an imported hash.
	minImportedMemory = 16
	maxMemory         = 256 << 10
	maxTime           = 16
	maxThreads        = 16
	// maxWork bounds memory times passes: about one second of one core.
	maxWork = 1 << 20
)

// ErrSettings refuses costs outside of what may be verified later.
var ErrSettings = errors.New("use 1 to 256 MiB of memory, 1 to 16 passes, 1 to 16 threads, and at most 1 GiB of memory times passes")

// Settings are the costs of a new hash.
type Settings struct {
	// Memory is in KiB.
	Memory uint32
	// Time is the number of passes over the memory.
	Time uint32
	// Threads is the number of lanes, each filled by a goroutine of its own.
	Threads uint8
}

// Defaults returns the costs of contract section 4: 19 MiB, two passes, one thread.
func Defaults() Settings { return Settings{Memory: 19 << 10, Time: 2, Threads: 1} }

// Validate fails with ErrSettings when the costs are out of bounds.
func (s Settings) Validate() error {
	if s.Memory < minMemory || s.Memory > maxMemory || s.Time < 1 || s.Time > maxTime ||
		s.Threads < 1 || s.Threads > maxThreads || s.Memory*s.Time > maxWork {
		return ErrSettings
	}
	return nil
}
