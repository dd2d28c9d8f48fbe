package cluster_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gatehouse.internal/test/harness/cluster"
)

// helper is the variable that makes this binary start a cluster, print its
// directory and wait to be killed, instead of testing.
const helper = "CLUSTER_TEST_HELPER"

func TestMain(m *testing.M) {
	if os.Getenv(helper) == "" {
		os.Exit(m.Run())
	}
	started, err := cluster.Start(context.Background())
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println(started.Dir())
	time.Sleep(time.Minute)
	os.Exit(1)
}

func gone(path string) bool {
	_, err := os.Stat(path)
	return errors.Is(err, os.ErrNotExist)
}

func TestRemoveLeavesNothing(t *testing.T) {
	t.Parallel()
	c, err := cluster.Start(t.Context())
	if err != nil {
		t.Fatalf("Start() = %v", err)
	}
	server := serverOf(t, c.Dir())
	c.Remove()
	if !gone(c.Dir()) {
		t.Errorf("%s is still there", c.Dir())
	}
	if !gone(server) {
		t.Errorf("the server %s still runs", server)
	}
}

func TestClusterDiesWithItsProcess(t *testing.T) {
	t.Parallel()
	owner := exec.CommandContext(t.Context(), os.Args[0])
	owner.Env = append(os.Environ(), helper+"=1")
	out, err := owner.StdoutPipe()
	if err != nil {
		t.Fatalf("StdoutPipe() = %v", err)
	}
	if err := owner.Start(); err != nil {
		t.Fatalf("start the owner: %v", err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	dir := strings.TrimSpace(line)
	if err != nil || !filepath.IsAbs(dir) {
		t.Fatalf("the owner says %q, %v", line, err)
	}
	server := serverOf(t, dir)

	if err := owner.Process.Kill(); err != nil {
		t.Fatalf("Kill() = %v", err)
	}
	_ = owner.Wait()

	for range 500 {
		if gone(dir) && gone(server) {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Errorf("10 s after the owner's death: directory gone = %t, server gone = %t", gone(dir), gone(server))
}

// serverOf is the /proc entry of a cluster's server, which must run.
func serverOf(t *testing.T, dir string) string {
	t.Helper()
	lock, err := os.ReadFile(filepath.Join(dir, "data", "postmaster.pid"))
	if err != nil {
		t.Fatalf("read the server's lock file: %v", err)
	}
	pid, _, _ := strings.Cut(string(lock), "\n")
	entry := filepath.Join("/proc", pid)
	if gone(entry) {
		t.Fatalf("the server %s does not run", pid)
	}
	return entry
}

func TestSweepRemovesOnlyDeadClusters(t *testing.T) {
	t.Parallel()
	tmp := t.TempDir()
	live, dead := fmt.Sprint(os.Getpid()), "4194399" // above the kernel's largest process id
	for name, server := range map[string]string{
		"gatehouse-pg-" + dead + "-1": dead,
		"gatehouse-pg-" + dead + "-2": live,
		"gatehouse-pg-" + live + "-3": dead,
		"gatehouse-pg-" + dead + "-4": "",
		"somebody-else-" + dead:       dead,
	} {
		data := filepath.Join(tmp, name, "data")
		if err := os.MkdirAll(data, 0o700); err != nil {
			t.Fatalf("MkdirAll() = %v", err)
		}
		if err := os.WriteFile(filepath.Join(data, "postmaster.pid"), []byte(server+"\nmore\n"), 0o600); err != nil {
			t.Fatalf("WriteFile() = %v", err)
		}
	}

	cluster.Sweep(tmp)

	for name, want := range map[string]bool{
		"gatehouse-pg-" + dead + "-1": true,
		"gatehouse-pg-" + dead + "-2": false,
		"gatehouse-pg-" + live + "-3": false,
		"gatehouse-pg-" + dead + "-4": true,
		"somebody-else-" + dead:       false,
	} {
		if got := gone(filepath.Join(tmp, name)); got != want {
			t.Errorf("%s gone = %t, want %t", name, got, want)
		}
	}
}
