package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"strconv"
	"sync"
	"syscall"
)

// adminEmail is the superadmin of every instance.
const adminEmail = "admin@bench.example"

// instance is `gatehouse serve` on a database that was filled.
type instance struct {
	*process

	workshop *workshop
	db       *database
	port     int
	people   *people
	// admin is an access token of the superadmin.
	admin string
	// sessions are a sample of those stored, with tokens that are good now.
	sessions []*held
}

// held is a session as its client knows it.
type held struct{ access, refresh string }

// prepare fills a database, serves it, lifts the limits and takes a sample of
// its sessions.
func (w *workshop) prepare(ctx context.Context, db *database, size population, sample int) (*instance, error) {
	port, err := freePort(ctx)
	if err != nil {
		return nil, err
	}
	i := &instance{workshop: w, db: db, port: port}
	migrate := i.gatehouse(ctx, "migrate")
	if output, err := migrate.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("migrate: %w\n%s", err, output)
	}
	if i.people, err = fill(ctx, db, w.secret, size); err != nil {
		return nil, fmt.Errorf("fill the database: %w", err)
	}
	if i.process, err = i.serve(ctx); err != nil {
		return nil, err
	}
	if err := i.open(ctx, sample); err != nil {
		i.close()
		return nil, err
	}
	return i, nil
}

// gatehouse is a run of the program on the instance's database.
func (i *instance) gatehouse(ctx context.Context, command string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, i.workshop.binary, command)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	// Nothing of this environment: what is measured is the default configuration.
	cmd.Env = []string{
		"PORT=" + strconv.Itoa(i.port), "DATABASE_URL=" + i.db.url, "JWT_SECRET=" + i.workshop.secret, "LOG_LEVEL=warn",
		"BOOTSTRAP_ADMIN_EMAIL=" + adminEmail, "BOOTSTRAP_ADMIN_PASSWORD=" + memberPassword,
	}
	return cmd
}

func (i *instance) serve(ctx context.Context) (*process, error) {
	return start(ctx, i.gatehouse(ctx, "serve"), i.port, "/health?check=ready")
}

func (i *instance) close() { i.stop() }

// open logs the superadmin in, lifts the limits and wakes a sample of sessions.
func (i *instance) open(ctx context.Context, sample int) error {
	c, err := dial(ctx, i.address)
	if err != nil {
		return err
	}
	defer c.close()
	status, body, err := c.ask(post(nil, "", loginBody(adminEmail)))
	if err == nil {
		err = expect(200, status, body)
	}
	if err != nil {
		return fmt.Errorf("log the superadmin in: %w", err)
	}
	if i.admin, err = field(body, "access_token"); err != nil {
		return err
	}
	for _, limited := range [][2]string{{"*", "token"}, {"AUTH.REFRESH", "ip"}, {"AUTH.REFRESH", "token"}, {"AUTH.LOGIN", "ip"}} {
		status, body, err := c.ask(post(nil, i.admin, fmt.Sprintf(
			`{"command":"RATE_LIMIT.SET","params":{"command":%q,"key":%q,"limit":1000000000,"window_seconds":60}}`, limited[0], limited[1])))
		if err == nil {
			err = expect(200, status, body)
		}
		if err != nil {
			return fmt.Errorf("lift the limit of %s by %s: %w", limited[0], limited[1], err)
		}
	}
	return i.wake(ctx, sample)
}

// wake refreshes sessions from all over the store, which gives their access tokens.
func (i *instance) wake(ctx context.Context, sample int) error {
	const connections = 8
	chosen := rand.New(rand.NewPCG(1, 2)).Perm(i.people.sessions)[:sample]
	i.sessions = make([]*held, sample)
	for k, number := range chosen {
		i.sessions[k] = &held{refresh: i.people.refreshToken(number)}
	}
	failures := make([]error, connections)
	var working sync.WaitGroup
	for k := range connections {
		working.Go(func() { failures[k] = i.wakeShare(ctx, k, connections) })
	}
	working.Wait()
	return errors.Join(failures...)
}

func (i *instance) wakeShare(ctx context.Context, connection, of int) error {
	c, err := dial(ctx, i.address)
	if err != nil {
		return err
	}
	defer c.close()
	s := &refreshing{sessions: i.share(connection, of)}
	for range s.sessions {
		status, body, err := c.ask(s.next())
		if err == nil {
			err = s.heard(status, body)
		}
		if err != nil {
			return fmt.Errorf("wake a session: %w", err)
		}
	}
	return nil
}

// share is every so many of the sampled sessions: connections share none.
func (i *instance) share(connection, of int) []*held {
	var share []*held
	for k := connection; k < len(i.sessions); k += of {
		share = append(share, i.sessions[k])
	}
	return share
}
