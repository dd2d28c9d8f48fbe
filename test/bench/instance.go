package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"strconv"
	"syscall"

	"gatehouse.internal/test/harness/freeport"
)

// adminEmail is the superadmin of every instance.
const adminEmail = "admin@bench.example"

// instance is `gatehouse serve` on a database that was filled.
type instance struct {
	*process

	workshop *workshop
	db       *database
	port     int
	// issuer is the public address.
	issuer string
	// profilePort is where the service serves profiles of itself; 0: nowhere.
	profilePort int
	people      *people
	// admin is an access token of the superadmin, org the workspace.
	admin, org string
	// sessions are a sample of those stored, with tokens that are good now.
	sessions []*held
	// apps are those registered, tokens a sample of those issued to them that were
	// stored.
	apps   []registered
	tokens []string
	// keys are API keys of the users of the sampled sessions, holders clients with a
	// token bound to a key; there are as many as a scenario needed so far.
	keys    []string
	holders []*holder
	// related reports whether the superadmin's workspace is full of relations.
	related bool
	// crowd is a workspace of many, once a scenario needed it.
	crowd *crowd
	// vendor has licenses, once a scenario needed them; flagged reports whether there are
	// features to decide.
	vendor  *vendor
	flagged bool
	// grants are what clients have of people, once a scenario needed it.
	grants *grants
	// passkeys are those of members, as many as a scenario needed so far.
	passkeys []*authenticator
}

// held is a session as its client knows it.
type held struct {
	access, refresh string
	// user is the number of whom it is of.
	user int
}

// renewed takes the tokens of an answer.
func (h *held) renewed(status int, body []byte) error {
	if err := expect(200, status, body); err != nil {
		return err
	}
	var err error
	if h.access, err = field(body, "access_token"); err != nil {
		return err
	}
	h.refresh, err = field(body, "refresh_token")
	return err
}

// prepare fills a database, serves it, lifts the limits and takes a sample of
// its sessions.
func (w *workshop) prepare(ctx context.Context, db *database, size population, sample int) (*instance, error) {
	port, err := freeport.Next(ctx)
	if err != nil {
		return nil, err
	}
	i := &instance{workshop: w, db: db, port: port, issuer: "http://localhost:" + strconv.Itoa(port)}
	if w.profiled {
		if i.profilePort, err = freeport.Next(ctx); err != nil {
			return nil, err
		}
	}
	migrate := i.gatehouse(ctx, "migrate")
	if output, err := migrate.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("migrate: %w\n%s", err, output)
	}
	if i.people, err = fill(ctx, db, w.secret, size); err != nil {
		return nil, fmt.Errorf("fill the database: %w", err)
	}
	if err := i.enroll(ctx, sample); err != nil {
		return nil, fmt.Errorf("enroll machines: %w", err)
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
		"SERVICE_HOST=" + i.issuer, "WEBHOOK_ALLOW_HTTP=true", "WEBHOOK_ALLOW_PRIVATE=true",
		"BOOTSTRAP_ADMIN_EMAIL=" + adminEmail, "BOOTSTRAP_ADMIN_PASSWORD=" + memberPassword,
	}
	if command != "migrate" && i.profilePort != 0 {
		cmd.Env = append(cmd.Env, "PROFILE_ADDRESS="+i.profiler())
	}
	return cmd
}

// profiler is the address of the service's profiles.
func (i *instance) profiler() string { return "127.0.0.1:" + strconv.Itoa(i.profilePort) }

func (i *instance) serve(ctx context.Context) (*process, error) {
	return start(ctx, i.gatehouse(ctx, "serve"), i.port, "/health?check=ready")
}

func (i *instance) close() { i.stop() }

// open logs the superadmin in and wakes a sample of sessions.
func (i *instance) open(ctx context.Context, sample int) error {
	if err := i.login(ctx); err != nil {
		return err
	}
	return i.wake(ctx, sample)
}

// limits are those that load would run into.
func limits() [][2]string {
	return [][2]string{
		{"*", "token"},
		{"*", "ip"},
		{"AUTH.REFRESH", "ip"},
		{"AUTH.REFRESH", "token"},
		{"AUTH.LOGIN", "ip"},
		{"M2M.TOKEN", "ip"},
		{"M2M.TOKEN", "token"},
		{"M2M.INTROSPECT", "ip"},
		{"LICENSE.VALIDATE", "ip"},
		{"LICENSE.VALIDATE", "token"},
		{"LICENSE.MACHINE_HEARTBEAT", "ip"},
		{"LICENSE.MACHINE_HEARTBEAT", "token"},
		{"OAUTH.AUTHORIZE", "ip"},
		{"OAUTH.TOKEN", "ip"},
		{"OAUTH.TOKEN", "token"},
		{"OAUTH.INTROSPECT", "token"},
		{"WEBAUTHN.LOGIN_OPTIONS", "ip"},
		{"WEBAUTHN.LOGIN_VERIFY", "ip"},
	}
}

// login logs the superadmin in and lifts the limits.
func (i *instance) login(ctx context.Context) error {
	c, err := dial(ctx, i.address)
	if err != nil {
		return err
	}
	defer c.close()
	body, err := demand(c, post(nil, "", loginBody(adminEmail)))
	if err != nil {
		return fmt.Errorf("log the superadmin in: %w", err)
	}
	if i.admin, err = field(body, "access_token"); err != nil {
		return err
	}
	for _, limited := range limits() {
		_, err := demand(c, post(nil, i.admin, fmt.Sprintf(
			`{"command":"RATE_LIMIT.SET","params":{"command":%q,"key":%q,"limit":1000000000,"window_seconds":60}}`, limited[0], limited[1])))
		if err != nil {
			return fmt.Errorf("lift the limit of %s by %s: %w", limited[0], limited[1], err)
		}
	}
	more := fmt.Sprintf(`{"command":"SETTINGS.SET","params":{"values":{"max_apps":%d}}}`, appCount+clientCount)
	if _, err := demand(c, post(nil, i.admin, more)); err != nil {
		return fmt.Errorf("have more apps: %w", err)
	}
	if body, err = demand(c, post(nil, i.admin, `{"command":"AUTH.WHOAMI"}`)); err != nil {
		return err
	}
	i.org, err = field(body, "org_id")
	return err
}

// wake refreshes sessions from all over the store, which gives their access tokens.
func (i *instance) wake(ctx context.Context, sample int) error {
	chosen := rand.New(rand.NewPCG(1, 2)).Perm(i.people.sessions)[:sample]
	var err error
	i.sessions, err = i.refreshed(ctx, i.people, chosen)
	return err
}

// refreshed refreshes sessions of people, by their numbers.
func (i *instance) refreshed(ctx context.Context, of *people, chosen []int) ([]*held, error) {
	sessions := make([]*held, len(chosen))
	for k, number := range chosen {
		sessions[k] = &held{refresh: of.refreshToken(number), user: number % of.users}
	}
	return sessions, i.together(ctx, len(sessions), func(c *conversation, k int) error {
		s := &refreshing{sessions: sessions[k : k+1]}
		status, body, err := c.ask(s.next())
		if err == nil {
			err = s.heard(status, body)
		}
		if err != nil {
			return fmt.Errorf("wake a session: %w", err)
		}
		return nil
	})
}

// share is every so many of a list: connections share none.
func share[T any](all []T, connection, of int) []T {
	var own []T
	for k := connection; k < len(all); k += of {
		own = append(own, all[k])
	}
	return own
}
