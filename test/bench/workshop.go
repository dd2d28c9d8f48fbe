package main

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/base64"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	_ "github.com/lib/pq"  // the driver "postgres"
	_ "modernc.org/sqlite" // the driver "sqlite"

	"gatehouse.internal/domain/wait"
	"gatehouse.internal/test/harness/cluster"
)

// The stores there are.
const (
	postgresStore = "postgres"
	sqliteStore   = "sqlite"
)

// workshop holds what a run is made with; close removes all of it.
type workshop struct {
	dir    string
	binary string
	// secret is the JWT_SECRET of every instance of the run.
	secret string
	// profiled reports whether the program serves profiles of itself.
	profiled bool
	// cluster is started when it is first needed.
	cluster *cluster.Cluster
	// postmaster is the process that all of the cluster's are children of.
	postmaster int
}

// newWorkshop builds the program unless one is given.
func newWorkshop(ctx context.Context, o options) (*workshop, error) {
	dir, err := os.MkdirTemp("", "gatehouse-bench-")
	if err != nil {
		return nil, fmt.Errorf("make a directory for the run: %w", err)
	}
	w := &workshop{dir: dir, binary: o.binary, secret: newSecret(), profiled: o.profiles != ""}
	if err := w.build(ctx, o); err != nil {
		w.close()
		return nil, err
	}
	return w, nil
}

func (w *workshop) build(ctx context.Context, o options) error {
	if w.profiled {
		if err := os.MkdirAll(o.profiles, 0o750); err != nil {
			return fmt.Errorf("make the directory of profiles: %w", err)
		}
	}
	if o.binary != "" {
		return nil
	}
	tags := ""
	if w.profiled {
		tags = "profile"
	}
	w.binary = filepath.Join(w.dir, "gatehouse")
	build := exec.CommandContext(ctx, "go", "build", "-tags", tags, "-trimpath", "-ldflags", "-s -w",
		"-o", w.binary, "gatehouse.internal/bootstrap/gatehouse")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if output, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("build the program: %w\n%s", err, output)
	}
	return nil
}

func newSecret() string {
	raw := make([]byte, 48)
	_, _ = rand.Read(raw) // it never fails
	return base64.StdEncoding.EncodeToString(raw)
}

func (w *workshop) close() {
	if w.cluster != nil {
		w.cluster.Remove()
	}
	_ = os.RemoveAll(w.dir)
}

// database is an empty database of its own for one instance.
type database struct {
	store string
	// url is what the service is told, dsn what database/sql is.
	url, dsn string
	// postmaster is the process of the database server; 0 where there is none.
	postmaster int
}

// database makes one. The cluster waits for the disk, as a real one does.
func (w *workshop) database(ctx context.Context, store, name string) (*database, error) {
	if store == sqliteStore {
		file := filepath.Join(w.dir, name+".db")
		return &database{store: store, url: "sqlite://" + file, dsn: "file:" + file +
			"?_pragma=busy_timeout(5000)&_pragma=journal_mode(WAL)&_pragma=synchronous(NORMAL)&_txlock=immediate"}, nil
	}
	if err := w.startCluster(ctx); err != nil {
		return nil, err
	}
	system, err := sql.Open("postgres", w.cluster.DSN("postgres"))
	if err != nil {
		return nil, err
	}
	defer system.Close()
	if _, err := system.ExecContext(ctx, "CREATE DATABASE "+name); err != nil {
		return nil, fmt.Errorf("make the database %s: %w", name, err)
	}
	dsn := w.cluster.DSN(name)
	return &database{store: store, url: dsn, dsn: dsn, postmaster: w.postmaster}, nil
}

func (w *workshop) startCluster(ctx context.Context) error {
	if w.cluster != nil {
		return nil
	}
	started, err := cluster.Start(ctx, "fsync=on", "full_page_writes=on", "max_wal_size=8GB",
		"shared_buffers=512MB", "maintenance_work_mem=512MB")
	if err != nil {
		return fmt.Errorf("start PostgreSQL: %w", err)
	}
	w.cluster = started
	system, err := sql.Open("postgres", started.DSN("postgres"))
	if err != nil {
		return err
	}
	defer system.Close()
	var backend int
	if err := system.QueryRowContext(ctx, "SELECT pg_backend_pid()").Scan(&backend); err != nil {
		return fmt.Errorf("find the processes of PostgreSQL: %w", err)
	}
	w.postmaster = parent(backend)
	return nil
}

func (d *database) open() (*sql.DB, error) {
	driver := "postgres"
	if d.store == sqliteStore {
		driver = "sqlite"
	}
	return sql.Open(driver, d.dsn)
}

// placeholder writes the nth parameter, from 1, of a statement.
func (d *database) placeholder(n int) string {
	if d.store == sqliteStore {
		return "?"
	}
	return "$" + strconv.Itoa(n)
}

// cost returns what a server and the database server have spent.
func (d *database) cost(pid int) spent {
	s := spent{server: processTime(pid)}
	if d.postmaster != 0 {
		s.database = familyTime(d.postmaster)
	}
	return s
}

// process is a server that this program started.
type process struct {
	cmd     *exec.Cmd
	address string
	log     string
}

// startTime is how long a server may take until it answers.
const startTime = 30 * time.Second

// start runs a program that listens on a port, and waits until it answers a path.
func start(ctx context.Context, cmd *exec.Cmd, port int, path string) (*process, error) {
	log, err := os.CreateTemp("", "gatehouse-bench-log-")
	if err != nil {
		return nil, err
	}
	defer log.Close()
	cmd.Stdout, cmd.Stderr = log, log
	p := &process{cmd: cmd, address: net.JoinHostPort("127.0.0.1", strconv.Itoa(port)), log: log.Name()}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	if err := p.answering(ctx, path); err != nil {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		words, _ := os.ReadFile(p.log)
		_ = os.Remove(p.log)
		return nil, fmt.Errorf("start %s: %w\n%s", cmd.Path, err, words)
	}
	return p, nil
}

// answering returns once a GET is answered with 200.
func (p *process) answering(ctx context.Context, path string) error {
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	request := get(path)
	for {
		if c, err := dial(ctx, p.address); err == nil {
			status, _, err := c.ask(request)
			c.close()
			if err == nil && status == 200 {
				return nil
			}
		}
		_ = wait.For(ctx, time.Millisecond)
		if err := ctx.Err(); err != nil {
			return err
		}
	}
}

func (p *process) pid() int { return p.cmd.Process.Pid }

// stop asks the server to end and waits for it. There is none where one was to start again
// and did not.
func (p *process) stop() {
	if p == nil {
		return
	}
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	_ = p.cmd.Wait()
	_ = os.Remove(p.log)
}
