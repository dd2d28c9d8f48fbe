// Package bootstrap wires the program together. It contains no rules: the configuration
// decides what is built, and the parts implement the rules.
package bootstrap

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"gatehouse.internal/adapters/expression"
	"gatehouse.internal/adapters/fetch"
	"gatehouse.internal/adapters/geoip"
	"gatehouse.internal/adapters/httpapi"
	"gatehouse.internal/adapters/jose"
	"gatehouse.internal/adapters/password"
	"gatehouse.internal/adapters/payment/sandbox"
	socialadapter "gatehouse.internal/adapters/social"
	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/adapters/sqlstore/machines"
	"gatehouse.internal/adapters/sqlstore/ops"
	"gatehouse.internal/adapters/sqlstore/people"
	"gatehouse.internal/adapters/sqlstore/workspaces"
	"gatehouse.internal/adapters/telemetry"
	"gatehouse.internal/application/account"
	"gatehouse.internal/application/addresses"
	"gatehouse.internal/application/backchannel"
	"gatehouse.internal/application/claims"
	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/engine/execution"
	"gatehouse.internal/application/engine/instance"
	"gatehouse.internal/application/engine/kinds"
	"gatehouse.internal/application/engine/page"
	"gatehouse.internal/application/expressions"
	"gatehouse.internal/application/featureflags"
	"gatehouse.internal/application/flow/live"
	"gatehouse.internal/application/jobs"
	"gatehouse.internal/application/keys"
	"gatehouse.internal/application/mailing"
	"gatehouse.internal/application/payment"
	"gatehouse.internal/application/proof"
	"gatehouse.internal/application/rebac"
	"gatehouse.internal/application/registration"
	"gatehouse.internal/application/relay"
	"gatehouse.internal/application/rolegrant"
	"gatehouse.internal/application/scoring"
	"gatehouse.internal/application/signin/login"
	"gatehouse.internal/application/signin/passkey"
	"gatehouse.internal/application/signin/social"
	"gatehouse.internal/application/token"
	"gatehouse.internal/application/upkeep"
	"gatehouse.internal/bootstrap/config"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/mac"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/domain/setting"
	"gatehouse.internal/ports/inbound"
	"gatehouse.internal/ports/outbound"
)

// Version is the release, set by the linker.
var Version = "dev"

// Options replace dependencies in tests and modes.
type Options struct {
	Clock  outbound.Clock
	IDs    outbound.IDs
	Random outbound.Random
	Logger *slog.Logger
	// Undeclared is called for events that a command stored but did not declare.
	Undeclared func(command string, kind event.Kind)
	// Mailer replaces the configured mail server.
	Mailer Mailer
	// Documents replaces the fetcher of client metadata documents.
	Documents outbound.DocumentFetcher
	// Pictures replaces the fetcher of logos.
	Pictures outbound.PictureFetcher
	// Pause is the delay before a call to a payment processor is repeated; 0 for the
	// default.
	Pause time.Duration
}

// Service is a wired instance.
type Service struct {
	Config  config.Config
	Engine  *execution.Engine
	Store   *sqlstore.Store
	Handler http.Handler
	Keeper  *upkeep.Keeper
	// Delivery sends mail.
	Delivery *mailing.Delivery
	// Jobs executes jobs.
	Jobs *jobs.Runner
	// Relay delivers events to webhooks.
	Relay *relay.Relay
	// Logouts notifies clients of ended sessions.
	Logouts *backchannel.Service
	// Payments synchronizes with the payment processors; Sandbox is the one of
	// development, else nil.
	Payments *payment.Service
	Sandbox  *sandbox.Sandbox

	parts *parts
	// drain closes parts.leaving once.
	drain func()
}

// parts are the dependencies of families.
type parts struct {
	tools

	config    config.Config
	store     *sqlstore.Store
	limits    limits
	post      post
	instance  *instance.Current
	addresses *addresses.Rules
	live      *live.Flows
	scorer    *scoring.Scorer
	access    *token.Access
	books     *rolegrant.Books
	refresh   *token.Refresh
	grants    *token.Grants
	passwords account.Passwords
	policies  account.Policies
	login     *login.Service
	passkeys  *passkey.Service
	social    *social.Service
	upstream  *socialadapter.Upstream
	cursors   page.Cursors
	requests  outbound.Sealer
	sender    *fetch.Sender
	described outbound.DocumentFetcher
	pictures  outbound.PictureFetcher
	documents *registration.Documents
	jose      jose.JOSE
	proofs    *proof.Checker
	// expressions compiles those of all families.
	expressions expressions.Compiler
	claims      *claims.Service
	relating    *rebac.Service
	deciding    *featureflags.Service
	payments    *payment.Service
	sandbox     *sandbox.Sandbox
	keys        keys.Maker
	defaults    setting.Values
	registry    *command.Registry
	kinds       *kinds.Catalog
	// leaving is closed when the service begins to stop.
	leaving chan struct{}
}

// Build opens the store, prepares the instance and wires it. The caller must close the
// service.
func Build(ctx context.Context, c config.Config, o Options) (*Service, error) {
	t := tools{clock: o.Clock, ids: o.IDs, random: o.Random, logger: o.Logger}
	sealing := newSealers(&c, t.random)
	store, err := openStore(ctx, &c, t, sealing)
	if err != nil {
		return nil, err
	}
	counted, err := newLimits(ctx, &c, t, store)
	if err != nil {
		return nil, errors.Join(err, store.Close())
	}
	p := &parts{tools: t, config: c, store: store, limits: counted, post: newPost(&c, t, o.Mailer), sender: sender(&c), described: o.Documents, pictures: o.Pictures, requests: sealing.requests, leaving: make(chan struct{})}
	p.addPayments(sealing, o.Pause)
	s, err := wire(ctx, c, p, sealing)
	if err != nil {
		return nil, errors.Join(err, counted.close(), store.Close())
	}
	s.Engine.Undeclared = o.Undeclared
	s.drain = sync.OnceFunc(func() { close(p.leaving) })
	return s, nil
}

func wire(ctx context.Context, c config.Config, p *parts, sealing sealers) (*Service, error) {
	t, store := p.tools, p.store
	p.defaults, p.cursors = c.Settings(), page.Cursors{Key: mac.New(sealing.cursors)}
	p.books = &rolegrant.Books{Rights: workspaces.Rights(store)}
	p.keys = keys.Maker{IDs: t.ids, Clock: t.clock}
	p.keys.JOSE = p.jose
	p.proofs = &proof.Checker{Keys: p.jose, Proofs: store.Proofs(), Clock: t.clock, Host: c.ServiceHost}
	if err := p.addLogin(sealing); err != nil {
		return nil, err
	}
	p.claims = &claims.Service{
		Expressions: &p.expressions, Language: expression.New(), Workspaces: workspaces.WorkspaceDirectory(store),
		Users: people.UserDirectory(store), Rights: workspaces.Rights(store), Books: p.books, Resources: machines.ResourceDirectory(store),
		Audiences: p.audiences(), Clock: t.clock, Issuer: c.ServiceHost,
	}
	p.relating = &rebac.Service{
		Directory: workspaces.RelationDirectory(store), Expressions: &p.expressions, Language: p.claims.Language, Clock: t.clock,
	}
	p.addDeciding()
	if err := p.addPasskeys(); err != nil {
		return nil, err
	}
	p.addSocial()
	if err := p.prepare(ctx); err != nil {
		return nil, err
	}
	if err := p.declare(); err != nil {
		return nil, err
	}
	metrics, err := newMetrics(p.registry, store.Database())
	if err != nil {
		return nil, err
	}
	s := &Service{Config: c, Store: store, Keeper: p.keeper(), Delivery: p.delivery(), Jobs: p.runner(), Relay: p.relay(), Logouts: p.backchannel(), Payments: p.payments, Sandbox: p.sandbox, parts: p}
	if err := p.watch(metrics, s.Delivery); err != nil {
		return nil, err
	}
	s.Engine = &execution.Engine{
		Registry: p.registry, Instance: p.instance, Access: p.access,
		Admission: p.limits.admission, Books: p.books, Transactions: store, Answers: store,
		AnswerSealer: sealing.answers, Blinder: store.Blinder(),
		Clients: p.clients(), Proofs: p.proofs, LastUses: store.LastUses(), Cursors: p.cursors,
		Policies: p.policies, Addresses: p.addresses, Flows: p.live,
		Clock: t.clock, Observer: metrics, Logger: t.logger,
	}
	s.Engine.Prepare()
	site, err := p.site(s.Engine, sealing)
	if err != nil {
		return nil, err
	}
	server := httpapi.Server{
		Site: site, SitePaths: sitePaths(&c), Social: p.socialPaths(), PasskeyOrigins: p.config.RelyingParty.PageOrigins(), Hooks: p.payments,
		Commands: s.Engine, Discovery: p.discovery(), Health: s, Door: s.Engine, Clock: t.clock, NewRequestID: t.ids.UUID,
		Proxies: c.Proxies, Logger: t.logger, Metrics: metricsPage(&c, metrics.Handler(), s.Engine), Version: Version, Pages: p.post.pages(c.ServiceHost),
	}
	handler, err := server.Handler()
	if err != nil {
		return nil, err
	}
	s.Handler = s.leaving(handler)
	return s, nil
}

// metricsPage returns the configuration of the metrics endpoint, which is public in
// development.
func metricsPage(c *config.Config, page http.Handler, gate inbound.Gate) httpapi.Metrics {
	return httpapi.Metrics{Page: page, Gate: gate, Token: secret.New(c.MetricsToken), Open: c.Development}
}

func newMetrics(registry *command.Registry, database sqlstore.Database) (*telemetry.Metrics, error) {
	var names []string
	for _, d := range registry.All() {
		names = append(names, d.Name)
	}
	metrics, err := telemetry.NewMetrics(names)
	if err != nil {
		return nil, fmt.Errorf("prepare metrics: %w", err)
	}
	metrics.WatchPool("write", database.Write.Stats)
	if database.Read != database.Write {
		metrics.WatchPool("read", database.Read.Stats)
	}
	if database.Hot != database.Write {
		metrics.WatchPool("hot", database.Hot.Stats)
	}
	return metrics, nil
}

// addLogin wires passwords, tokens and logins.
func (p *parts) addLogin(sealing sealers) error {
	hasher, err := password.New(p.config.Argon2(), p.random)
	if err != nil {
		return fmt.Errorf("prepare password hashing: %w", err)
	}
	p.passwords = account.Passwords{Hasher: hasher, Strength: password.Strength{}}
	p.instance = &instance.Current{Store: ops.Instance(p.store), JOSE: p.jose, Defaults: p.defaults}
	p.documents = p.newDocuments()
	p.addresses = &addresses.Rules{Directory: ops.IPRuleDirectory(p.store), Instance: p.instance, Clock: p.clock}
	places, err := geoip.Open(p.config.GeoIPFiles, p.clock, p.logger)
	if err != nil {
		return err
	}
	p.scorer = &scoring.Scorer{Lists: p.addresses, Places: places}
	p.addFlows(sealing)
	p.access = &token.Access{
		Instance: p.instance, JOSE: p.jose, Clock: p.clock, IDs: p.ids,
		Issuer: p.config.ServiceHost, Verified: &token.VerifiedTokens{},
	}
	p.refresh = &token.Refresh{Key: mac.New(sealing.refresh), Random: p.random}
	p.grants = &token.Grants{Key: p.refresh.Key, Random: p.random}
	p.policies = account.Policies{Instance: p.instance, Workspaces: ops.WorkspacePolicies(p.store)}
	p.login = &login.Service{
		Accounts: people.Accounts(p.store), Unit: live.Unit(sqlstore.NewUnit(p.store, loginRepos)), Passwords: hasher, Common: password.Strength{},
		Risk: p.scorer, Policies: p.policies, Instance: p.instance, Access: p.access, Refresh: p.refresh, Books: p.books,
		Arrivals: p.arrivals(), Clock: p.clock, IDs: p.ids, Random: p.random,
	}
	return nil
}

// Ready fails while the instance drains or its store does not respond.
func (s *Service) Ready(ctx context.Context) error {
	if s.draining() {
		return errors.New("draining")
	}
	if err := s.parts.upkeep().Ping(ctx); err != nil {
		return errors.New("the database does not respond")
	}
	return nil
}

// Drain makes the instance not ready, so that load balancers stop sending requests, and
// ends calls that wait for events.
func (s *Service) Drain() { s.drain() }

func (s *Service) draining() bool {
	select {
	case <-s.parts.leaving:
		return true
	default:
		return false
	}
}

// leaving closes each connection with its next response while the instance drains.
// Closing it between requests could lose the next one.
func (s *Service) leaving(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.draining() {
			w.Header().Set("Connection", "close")
		}
		next.ServeHTTP(w, r)
	})
}

// Close closes the store.
func (s *Service) Close() error {
	s.parts.upstream.Close()
	s.parts.sender.Close()
	return errors.Join(s.parts.limits.close(), s.Store.Close())
}
