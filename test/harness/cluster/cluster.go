// Package cluster runs throw-away PostgreSQL clusters for tests: a fresh data
// directory below the system's temporary directory and a server on a free port
// of 127.0.0.1, from the PostgreSQL programs of this machine.
//
// PostgreSQL refuses to run as root, so under root the server runs as the user
// postgres, or as nobody where there is none. The server trusts whoever reaches
// its port and does not wait for the disk: it is for tests alone.
//
// A cluster does not outlive its process, however that ends: a watchdog, which
// holds the other end of a pipe, stops the server and removes the directory.
package cluster

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"gatehouse.internal/test/harness/freeport"
)

// superuser owns every cluster, and needs no password.
const superuser = "postgres"

// Cluster is one server with its own data directory. Its methods are not safe
// for concurrent use.
type Cluster struct {
	dir      string
	port     int
	settings []string
	programs programs
	account  *syscall.Credential
	lifeline *lifeline
}

// Start makes a cluster and starts its server; it returns when the server takes
// connections. It fails with the programs' own words, or by naming what to
// install where they are missing. Settings, as name=value, stand in place of the
// cluster's own: a benchmark, say, waits for the disk.
func Start(ctx context.Context, settings ...string) (*Cluster, error) {
	sweep(os.TempDir())
	found, err := findPrograms(debian)
	if err != nil {
		return nil, err
	}
	c := &Cluster{programs: found, settings: settings}
	if err := c.prepare(ctx); err != nil {
		c.Remove()
		return nil, err
	}
	return c, nil
}

func (c *Cluster) prepare(ctx context.Context) (err error) {
	if c.account, err = unprivileged(); err != nil {
		return err
	}
	if c.dir, err = os.MkdirTemp("", fmt.Sprintf("%s%d-", prefix, os.Getpid())); err != nil {
		return fmt.Errorf("make the cluster's directory: %w", err)
	}
	if c.account != nil {
		if err := os.Chown(c.dir, int(c.account.Uid), int(c.account.Gid)); err != nil {
			return fmt.Errorf("give the cluster's directory away: %w", err)
		}
	}
	if c.lifeline, err = watch(c.dir); err != nil {
		return err
	}
	if err := c.run(ctx, c.programs.initdb, "-D", c.data(), "-U", superuser,
		"-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync", "--no-instructions"); err != nil {
		return err
	}
	return c.startOnFreePort(ctx)
}

// startOnFreePort tries again when somebody else takes the port between the
// look and the start.
func (c *Cluster) startOnFreePort(ctx context.Context) error {
	var err error
	for range 5 {
		if c.port, err = freeport.Next(ctx); err != nil {
			return err
		}
		if err = c.Start(ctx); err == nil {
			return nil
		}
	}
	return err
}

// Start starts the server again after Stop, on the same port and data.
func (c *Cluster) Start(ctx context.Context) error {
	options := []string{
		"listen_addresses=127.0.0.1",
		"port=" + strconv.Itoa(c.port),
		"unix_socket_directories=" + c.dir,
		"max_connections=300",
		"fsync=off",
		"full_page_writes=off",
		"max_wal_size=2GB",
		"log_min_messages=warning",
	}
	options = append(options, c.settings...) // the last of a name holds
	log := filepath.Join(c.dir, "log")
	err := c.run(ctx, c.programs.pgctl, "start", "-D", c.data(), "-l", log, "-s", "-w", "-t", "60",
		"-o", "-c "+strings.Join(options, " -c "))
	if err != nil {
		words, _ := os.ReadFile(log)
		return fmt.Errorf("%w\n%s", err, words)
	}
	return nil
}

// Stop ends the server at once, as a crash would: nothing is flushed and every
// connection breaks. Committed data is there again after Start.
func (c *Cluster) Stop(ctx context.Context) error {
	return c.run(ctx, c.programs.pgctl, "stop", "-D", c.data(), "-m", "immediate", "-s", "-w")
}

// DSN is the address of a database of the cluster, whether or not it exists.
// The one that always does is "postgres".
func (c *Cluster) DSN(database string) string {
	return fmt.Sprintf("postgres://%s@127.0.0.1:%d/%s?sslmode=disable", superuser, c.port, database)
}

// Remove ends the server and deletes its data. The cluster cannot be used any more.
func (c *Cluster) Remove() {
	if c.lifeline == nil {
		_ = os.RemoveAll(c.dir)
		return
	}
	c.lifeline.cut()
}

func (c *Cluster) data() string { return filepath.Join(c.dir, "data") }

// run executes a PostgreSQL program as the cluster's user.
func (c *Cluster) run(ctx context.Context, program string, args ...string) error {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = c.dir
	cmd.Env = append(os.Environ(), "LC_ALL=C")
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: c.account}
	if output, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w\n%s", filepath.Base(program), args[0], err, output)
	}
	return nil
}
