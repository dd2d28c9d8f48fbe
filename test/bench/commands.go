package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"time"

	"gatehouse.internal/adapters/cipher"
	"gatehouse.internal/application/engine/page"
	"gatehouse.internal/domain/label"
	"gatehouse.internal/domain/mac"
)

// judged is the load at which targets hold: 32 connections on PostgreSQL.
const judged = 32

// scenario is something that the service does, with the bare thing it is held against.
type scenario struct {
	name string
	// ready gets what the scripts need, for each number of connections anew; nil: nothing.
	ready func(ctx context.Context, c *contest) error
	// scripts returns the script of each connection.
	scripts func(c *contest) func(connection int) script
	// bare is a path of the bare server, or bareHashes; empty: there is none.
	bare string
	// target is the least ratio to the bare thing; 0: none.
	target float64
	// least is how many requests a second are wanted; 0: any number.
	least float64
	// hashes reports whether each request costs a password hash.
	hashes bool
	// tail reports whether with -growth also the 99th percentile has a target.
	tail bool
}

// bareHashes stands for password hashes alone, which need no server.
const bareHashes = "hashes"

func scenarios() []scenario {
	return []scenario{
		{name: "USER.ME", scripts: asking, bare: bareSelect, target: 0.6, tail: true},
		{name: "AUTH.REFRESH", scripts: refreshingAll, bare: bareCommit, target: 0.6, tail: true},
		{name: "AUTH.LOGIN", scripts: loggingIn, bare: bareHashes, target: 0.85, hashes: true, tail: true},
		{name: "USER.LIST", scripts: listing, tail: true},
		{name: "M2M.TOKEN", ready: useSecrets, scripts: tokening, bare: bareCommit, target: 1.3},
		{name: "introspect", scripts: introspecting, bare: bareSelect, target: 0.8},
		{name: "api-key", ready: useKeys, scripts: keyed, bare: bareSelect, target: 0.8},
		{name: "dpop", ready: bindTokens, scripts: provingAll, bare: bareVerify, target: 0.6},
		{name: "passkey", ready: enrollPasskeys, scripts: passingAll, bare: bareBegin, target: 1 / 1.5},
		{name: "RELATION.CHECK", ready: relate, scripts: checking, bare: bareSelect, least: leastChecks},
		{name: "TEAM.LIST_MEMBERS", ready: gather, scripts: paging, bare: bareSelect, target: 0.6, tail: true},
		{name: "PERMISSION.CHECK", ready: gather, scripts: permitted, bare: bareSelect, target: 0.6, tail: true},
		{name: "LICENSE.VALIDATE", ready: sight, scripts: validating, bare: bareSelect, target: 0.6, tail: true},
		{name: "unknown keys", ready: licensed, scripts: guessing, bare: bareSelect, target: 0.6, tail: true},
		{name: "LICENSE.HEARTBEAT", ready: licensed, scripts: beating, bare: bareUpdate, target: 0.6, tail: true},
		{name: "oauth code", ready: delegate, scripts: authorizingAll, bare: bareCommit, least: 2 * leastCodes, tail: true},
		{name: "oauth refresh", ready: delegate, scripts: renewingAll, bare: bareCommit, target: 0.6, least: leastRefreshes, tail: true},
		{name: "oauth userinfo", ready: delegate, scripts: informing, bare: bareSelect, target: 0.6, tail: true},
		{name: "oauth introspect", ready: delegate, scripts: inspectingPeople, bare: bareSelect, target: 0.8},
		{name: "FEATURE.EVALUATE", ready: define, scripts: deciding},
		{name: "commands", scripts: fetching("/api/v1/commands"), bare: bareAnswer},
		{name: "health", scripts: fetching("/health")},
	}
}

// benchCommands measures every scenario at every number of connections.
func benchCommands(ctx context.Context, i *instance, o options, r *report) error {
	var chosen []scenario
	for _, s := range scenarios() {
		if o.wants(s.name) {
			chosen = append(chosen, s)
		}
	}
	if len(chosen) == 0 {
		return nil
	}
	bare, err := startBare(ctx, i)
	if err != nil {
		return err
	}
	defer bare.stop()
	r.commandsHead(i.db.store)
	for _, s := range chosen {
		for _, connections := range o.connections {
			measured := contest{i: i, bare: bare, scenario: s, connections: connections, options: o}
			err := measured.hold(ctx, r)
			if err == nil && o.profiles != "" {
				err = measured.profile(ctx)
			}
			if err != nil {
				return fmt.Errorf("%s at %d connections: %w", s.name, connections, err)
			}
		}
	}
	return nil
}

// contest is a scenario and its bare counterpart, taking turns.
type contest struct {
	i           *instance
	bare        *process
	scenario    scenario
	connections int
	options     options
}

func (c *contest) hold(ctx context.Context, r *report) error {
	if err := c.prepare(ctx); err != nil {
		return err
	}
	var service, counterpart []sample
	runs, served := c.runs(), c.served()
	for range runs {
		got, err := served.measure(ctx)
		if err != nil {
			return err
		}
		service = append(service, got)
		if c.scenario.bare == "" {
			continue
		}
		if got, err = c.counterpart(ctx); err != nil {
			return fmt.Errorf("the bare counterpart: %w", err)
		}
		counterpart = append(counterpart, got)
	}
	target, least := 0.0, 0.0
	if c.i.db.store == postgresStore && c.connections == judged {
		target, least = c.scenario.target, c.scenario.least
	}
	r.command(row{
		name: c.scenario.name, store: c.i.db.store, connections: c.connections,
		service: merge(service), bare: merge(counterpart), target: target, least: least,
	})
	return nil
}

// prepare gets what the scripts of the service need.
func (c *contest) prepare(ctx context.Context) error {
	if c.scenario.ready == nil {
		return nil
	}
	return c.scenario.ready(ctx, c)
}

// runs are fewer where a measurement is long.
func (c *contest) runs() int {
	if c.scenario.hashes {
		return (c.options.runs + 1) / 2
	}
	return c.options.runs
}

// window is longer where a request is long.
func (c *contest) window() time.Duration {
	if c.scenario.hashes {
		return 3 * c.options.window
	}
	return c.options.window
}

func (c *contest) warmup() time.Duration { return c.options.window / 3 }

// served is the load on the service.
func (c *contest) served() *load {
	return &load{
		address: c.i.address, connections: c.connections,
		script: c.scenario.scripts(c),
		warmup: c.warmup(), window: c.window(),
		cost: func() spent { return c.i.db.cost(c.i.pid()) },
	}
}

func (c *contest) counterpart(ctx context.Context) (sample, error) {
	if c.scenario.bare == bareHashes {
		return hashing(ctx, c.window()), nil
	}
	asked := [][]byte{get(c.scenario.bare)}
	if c.scenario.bare == bareBegin {
		asked = append(asked, get(bareFinish))
	}
	if c.scenario.bare == bareUpdate {
		asked = asked[:0]
		for n := range bareCounts {
			asked = append(asked, get(bareUpdate+strconv.Itoa(n)))
		}
	}
	if c.scenario.bare == bareSelect {
		asked = asked[:0]
		for k := range len(c.i.sessions) {
			asked = append(asked, get(bareSelect+c.i.people.user(k%c.i.people.users)))
		}
	}
	l := &load{
		address: c.bare.address, connections: c.connections,
		script: func(connection int) script { return &repeat{requests: asked, want: 200, at: 31 * connection} },
		warmup: c.warmup(), window: c.window(),
		cost: func() spent { return c.i.db.cost(c.bare.pid()) },
	}
	return l.measure(ctx)
}

// asking has every session ask for its user's profile.
func asking(c *contest) func(int) script {
	return func(connection int) script {
		s := &repeat{want: 200}
		for _, h := range share(c.i.sessions, connection, c.connections) {
			s.requests = append(s.requests, post(nil, h.access, `{"command":"USER.ME"}`))
		}
		return s
	}
}

// refreshing has sessions refresh in turn, each time by the token got last.
type refreshing struct {
	sessions []*held
	at       int
	request  []byte
}

func refreshingAll(c *contest) func(int) script {
	return func(connection int) script {
		return &refreshing{sessions: share(c.i.sessions, connection, c.connections)}
	}
}

func (r *refreshing) next() []byte {
	r.at++
	h := r.sessions[r.at%len(r.sessions)]
	r.request = post(r.request[:0], "", `{"command":"AUTH.REFRESH","params":{"refresh_token":"`+h.refresh+`"}}`)
	return r.request
}

func (r *refreshing) heard(status int, body []byte) error {
	return r.sessions[r.at%len(r.sessions)].renewed(status, body)
}

// entering logs members in who are drawn from all of them.
type entering struct {
	users   int
	request []byte
}

func loggingIn(c *contest) func(int) script {
	return func(int) script { return &entering{users: c.i.people.users} }
}

func loginBody(address string) string {
	return `{"command":"AUTH.LOGIN","params":{"email":"` + address + `","password":"` + memberPassword + `"}}`
}

func (e *entering) next() []byte {
	e.request = post(e.request[:0], "", loginBody(email(rand.IntN(e.users))))
	return e.request
}

func (e *entering) heard(status int, body []byte) error { return expect(200, status, body) }

// listing has the superadmin turn to pages all over the list.
func listing(c *contest) func(int) script {
	const pages = 200
	i := c.i
	cursors := page.Cursors{Key: mac.New(cipher.Derive([]byte(i.workshop.secret), label.PageCursors, 32))}
	same := func(id string) string { return id }
	var requests [][]byte
	for range pages {
		at := i.people.user(rand.IntN(i.people.users))
		cut := page.Cut(cursors.List("USER.LIST||", page.Params{Limit: 1}), []string{at, at}, same, same)
		requests = append(requests, post(nil, i.admin, fmt.Sprintf(`{"command":"USER.LIST","params":{"cursor":%q}}`, *cut.NextCursor)))
	}
	return func(connection int) script { return &repeat{requests: requests, want: 200, at: 31 * connection} }
}

// fetching asks for one path.
func fetching(path string) func(*contest) func(int) script {
	return func(*contest) func(int) script {
		return func(int) script { return &repeat{requests: [][]byte{get(path)}, want: 200} }
	}
}
