package dns

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestMachineServers(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"":                         {"127.0.0.1:53"},
		"# nameserver 192.0.2.9\n": {"127.0.0.1:53"},
		"search example.com\nnameserver 192.0.2.1\nnameserver ::1 # here\nnameserver\noptions edns0": {"192.0.2.1:53", "[::1]:53"},
		"nameserver 1\nnameserver 2\nnameserver 3\nnameserver 4":                                     {"1:53", "2:53", "3:53"},
	} {
		file := filepath.Join(t.TempDir(), "resolv.conf")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := machineServers(file); !slices.Equal(got, want) {
			t.Errorf("%q names %q", text, got)
		}
	}
	if got := machineServers(filepath.Join(t.TempDir(), "none")); !slices.Equal(got, []string{"127.0.0.1:53"}) {
		t.Errorf("without a file: %q", got)
	}
}
