package harness

import (
	"bufio"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"gatehouse.internal/test/harness/freeport"
)

// RedisPassword is what every Redis of the harness asks for.
const RedisPassword = "plover-4711-xyzzy"

// Redis returns the address of a throw-away Redis that all tests of the process share.
// It ends with the process.
func Redis(tb testing.TB) string {
	tb.Helper()
	s, err := redisOnce()
	if err != nil {
		tb.Fatalf("start a Redis server: %v", err)
	}
	return s.url()
}

var redisOnce = sync.OnceValues(startRedis)

// RedisProcess is a Redis that one test has to itself, to be stopped and started
// under the code it tests.
type RedisProcess struct {
	tb testing.TB
	*redisServer
}

// RedisServer starts a Redis for one test. It is gone when the test ends.
func RedisServer(tb testing.TB) *RedisProcess {
	tb.Helper()
	s, err := startRedis()
	if err != nil {
		tb.Fatalf("start a Redis server: %v", err)
	}
	tb.Cleanup(s.kill)
	return &RedisProcess{tb: tb, redisServer: s}
}

// URL is the address of the server; it stays the same over Stop and Start.
func (p *RedisProcess) URL() string { return p.url() }

// Stop ends the server at once, as a crash would, and with it all that it held.
func (p *RedisProcess) Stop() { p.kill() }

// Start starts the stopped server again, empty.
func (p *RedisProcess) Start() {
	p.tb.Helper()
	if err := p.start(); err != nil {
		p.tb.Fatalf("start the Redis server again: %v", err)
	}
}

// redisServer is one redis-server without persistence.
type redisServer struct {
	program  string
	port     int
	lifeline *os.File
	keeper   *exec.Cmd
}

// startRedis tries again when somebody else takes the port between the look and
// the start.
func startRedis() (*redisServer, error) {
	program, err := exec.LookPath("redis-server")
	if err != nil {
		return nil, fmt.Errorf("install redis-server (make setup does): %w", err)
	}
	s := &redisServer{program: program}
	for range 5 {
		if s.port, err = freeport.Next(context.Background()); err != nil {
			return nil, err
		}
		if err = s.start(); err == nil {
			return s, nil
		}
	}
	return nil, err
}

func (s *redisServer) url() string {
	return fmt.Sprintf("redis://:%s@127.0.0.1:%d/0", RedisPassword, s.port)
}

// keepRedis runs the server and ends it when its own standard input ends, which is
// when the test process does, by whatever way.
//
//go:embed redis.sh
var keepRedis string

func (s *redisServer) start() error {
	dir, err := os.MkdirTemp("", "gatehouse-redis-")
	if err != nil {
		return fmt.Errorf("make a directory for Redis: %w", err)
	}
	reading, writing, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("make a pipe: %w", err)
	}
	defer reading.Close()
	s.keeper = exec.CommandContext(context.Background(), "/bin/sh", "-c", keepRedis, "redis", dir, s.program,
		"--port", strconv.Itoa(s.port), "--bind", "127.0.0.1", "--requirepass", RedisPassword,
		"--save", "", "--appendonly", "no", "--dir", dir, "--logfile", filepath.Join(dir, "log"))
	s.keeper.Stdin, s.keeper.Dir = reading, "/"
	s.keeper.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := s.keeper.Start(); err != nil {
		return errors.Join(fmt.Errorf("run redis-server: %w", err), writing.Close())
	}
	s.lifeline = writing
	if err := s.answers(); err != nil {
		words, _ := os.ReadFile(filepath.Join(dir, "log"))
		s.kill()
		return fmt.Errorf("%w\n%s", err, words)
	}
	return nil
}

// kill returns when the server is gone.
func (s *redisServer) kill() {
	if s.lifeline != nil {
		_ = s.lifeline.Close()
		_ = s.keeper.Wait()
		s.lifeline = nil
	}
}

// answers waits for the server, and makes sure that it is ours: by its password.
func (s *redisServer) answers() error {
	const within, pause = 10 * time.Second, 5 * time.Millisecond
	var err error
	for deadline := time.Now().Add(within); time.Now().Before(deadline); time.Sleep(pause) {
		if err = s.greet(); err == nil {
			return nil
		}
	}
	return err
}

func (s *redisServer) greet() error {
	conn, err := net.DialTimeout("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(s.port)), time.Second)
	if err != nil {
		return err
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(time.Second))
	if _, err := fmt.Fprintf(conn, "AUTH %s\r\n", RedisPassword); err != nil {
		return err
	}
	answer, err := bufio.NewReader(conn).ReadString('\n')
	if err == nil && !strings.HasPrefix(answer, "+OK") {
		err = fmt.Errorf("redis-server says %q", answer)
	}
	return err
}
