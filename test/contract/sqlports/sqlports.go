// Package sqlports runs the contract against stores in SQL databases.
package sqlports

import (
	"context"
	"errors"
	"log/slog"
	"testing"

	"gatehouse.internal/adapters/sqlstore"
	delegationstore "gatehouse.internal/adapters/sqlstore/delegation"
	machinesstore "gatehouse.internal/adapters/sqlstore/machines"
	mailingstore "gatehouse.internal/adapters/sqlstore/mailing"
	opsstore "gatehouse.internal/adapters/sqlstore/ops"
	peoplestore "gatehouse.internal/adapters/sqlstore/people"
	signinstore "gatehouse.internal/adapters/sqlstore/signin"
	workspacesstore "gatehouse.internal/adapters/sqlstore/workspaces"
	"gatehouse.internal/test/contract"
	"gatehouse.internal/test/contract/vending"
)

// Opener makes a new database for a test; what it returns opens that database anew with
// each call, as another replica would.
type Opener func(t *testing.T) func() sqlstore.Database

// Run runs every suite on databases that have the schema and nothing in it, and that of
// opening on empty ones.
func Run(t *testing.T, open, empty Opener) {
	t.Helper()
	tables := Tables(open)
	contract.Run(t, tables.Ports)
	vending.Run(t, vend(open))
	contract.RunTables(t, contract.SQL{
		Open: tables, Empty: Tables(empty), Outdated: sqlstore.ErrOutdated, WrongKey: sqlstore.ErrIndexKey,
	})
	t.Run("Liveness", func(t *testing.T) {
		t.Parallel()
		runLiveness(t, open)
	})
}

// Config is that of a store by the contract's conditions.
func Config(t *testing.T, database sqlstore.Database) sqlstore.Config {
	t.Helper()
	return configOf(database, contract.Defaults(t))
}

func configOf(database sqlstore.Database, c contract.Conditions) sqlstore.Config {
	return sqlstore.Config{
		Database: database, CheckOnly: c.CheckOnly, Personal: c.Personal, Secrets: c.Secrets,
		Clock: c.Clock, IDs: c.IDs, Random: c.Random, Logger: slog.New(slog.DiscardHandler),
	}
}

// Tables opens stores on databases.
func Tables(open Opener) contract.TableOpener {
	return func(t *testing.T) func(c contract.Conditions) (*contract.Tables, error) {
		t.Helper()
		again := open(t)
		return func(c contract.Conditions) (*contract.Tables, error) {
			database := again()
			store, err := opened(t, database, c)
			if err != nil {
				return nil, err
			}
			return &contract.Tables{
				Ports: Ports(store), Read: database.Read, Write: database.Write,
				Placeholders: database.Dialect.Placeholders, Index: store.Blinder().Index,
				AtEnd: sqlstore.NewUnit(store, func(tx *sqlstore.Tx) func(func(context.Context) error) { return tx.Last }),
			}, nil
		}
	}
}

// opened opens a store, or closes its database.
func opened(t *testing.T, database sqlstore.Database, c contract.Conditions) (*sqlstore.Store, error) {
	t.Helper()
	store, err := sqlstore.Open(t.Context(), configOf(database, c))
	if err != nil {
		return nil, errors.Join(err, database.Close())
	}
	return store, nil
}

// Ports returns the ports of a store.
func Ports(store *sqlstore.Store) *contract.Ports {
	p := &contract.Ports{
		Transactions: store, Answers: store, Unit: sqlstore.NewUnit(store, Repos), Close: store.Close,
		Writers: store.Database().Write.Stats().MaxOpenConnections, Mailed: store.Mailed(),

		Admission: store.Admission(), LimitCounters: store.LimitCounters(), Recalls: store.Database().ChangesInWith, AuditTrail: store.AuditTrail(),

		Instance: opsstore.Instance(store), WorkspacePolicies: opsstore.WorkspacePolicies(store), Upkeep: opsstore.Upkeep(store),
		Replicas:     opsstore.Replicas(store),
		Reencryption: store.Reencryption(), FlowDirectory: opsstore.FlowDirectory(store),
		FlowRunDirectory: opsstore.FlowRunDirectory(store), Assessments: signinstore.AssessmentDirectory(store), IPRuleDirectory: opsstore.IPRuleDirectory(store),

		Accounts: peoplestore.Accounts(store), Lockouts: peoplestore.Lockouts(store), Rotations: store.Rotations(), GrantTurns: store.GrantTurns(),
		MemberDirectory: peoplestore.MemberDirectory(store), NoticeDirectory: peoplestore.NoticeDirectory(store),
		SessionDirectory: peoplestore.SessionDirectory(store), UserDirectory: peoplestore.UserDirectory(store), SearchIndex: peoplestore.SearchIndex(store),
		ImpersonationDirectory: peoplestore.ImpersonationDirectory(store),

		Links: signinstore.Links(store), Openings: signinstore.Openings(store), DeviceDirectory: signinstore.DeviceDirectory(store),
		FactorDirectory: signinstore.FactorDirectory(store), IdentityDirectory: signinstore.IdentityDirectory(store),
		PasskeyDirectory: signinstore.PasskeyDirectory(store), SocialDirectory: signinstore.SocialDirectory(store),
	}
	machinePorts(p, store)
	return p
}

// machinePorts sets the ports of machines, mail and workspaces.
func machinePorts(p *contract.Ports, store *sqlstore.Store) {
	p.Clients, p.LastUses, p.Proofs, p.TokenIssues = store.Clients(), store.LastUses(), store.Proofs(), store.TokenIssues()
	p.Redirects = machinesstore.Redirects(store)
	p.APIKeyDirectory = machinesstore.APIKeyDirectory(store)
	p.AppDirectory = machinesstore.AppDirectory(store)
	p.BindingDirectory = machinesstore.BindingDirectory(store)
	p.ResourceDirectory = machinesstore.ResourceDirectory(store)
	p.TokenDirectory = machinesstore.TokenDirectory(store)

	p.OAuthDevices = delegationstore.DeviceDirectory(store)

	p.MailQueue = mailingstore.Queue(store)
	p.SuppressionDirectory = mailingstore.SuppressionDirectory(store)
	p.TemplateDirectory = mailingstore.TemplateDirectory(store)

	p.BrandingDirectory = workspacesstore.BrandingDirectory(store)
	p.Rights = workspacesstore.Rights(store)
	p.GroupDirectory = workspacesstore.GroupDirectory(store)
	p.GroupMemberships = workspacesstore.GroupMemberships(store)
	p.RelationDirectory = workspacesstore.RelationDirectory(store)
	p.WorkspaceDirectory = workspacesstore.WorkspaceDirectory(store)
	p.Invitations = workspacesstore.InvitationDirectory(store)
	p.Domains = workspacesstore.MailDomainDirectory(store)
}

// Repos returns the repositories that write in a transaction.
func Repos(tx *sqlstore.Tx) contract.Repos {
	return contract.Repos{
		Users: peoplestore.Users(tx), Sessions: peoplestore.Sessions(tx), Notices: peoplestore.Notices(tx), Acted: peoplestore.Impersonations(tx),

		Credentials: signinstore.Credentials(tx), LoginFailures: signinstore.LoginFailures(tx), Passkeys: signinstore.Passkeys(tx),
		Challenges: signinstore.Challenges(tx), Guesses: signinstore.Guesses(tx), Factors: signinstore.SecondFactors(tx),
		Entrants: signinstore.Entrants(tx), LoginMethods: signinstore.LoginMethods(tx), Devices: signinstore.Devices(tx),
		Clients: signinstore.KnownClients(tx), Identities: signinstore.Identities(tx), Setups: signinstore.SocialSetups(tx),

		Workspaces: workspacesstore.Workspaces(tx), CreationLimits: workspacesstore.CreationLimits(tx), Deletions: workspacesstore.Deletions(tx), Invitations: workspacesstore.Invitations(tx),
		Own: workspacesstore.UserWorkspaces(tx), Brandings: workspacesstore.Brandings(tx),
		Relations: workspacesstore.Relations(tx), Books: workspacesstore.Books(tx), Roles: workspacesstore.Roles(tx),
		Audiences: machinesstore.AudienceDomains(tx), Domains: workspacesstore.MailDomains(tx), Due: workspacesstore.DueDomains(tx),
		OwnRights: workspacesstore.OwnPermissions(tx), Groups: workspacesstore.Groups(tx), GroupHolds: workspacesstore.GroupHolds(tx),

		Events: tx.Events(), Log: tx.AuditLog(),

		Settings: opsstore.Settings(tx), Policies: opsstore.Policies(tx), Flows: opsstore.Flows(tx),
		FlowRuns: opsstore.FlowRuns(tx), Assessments: signinstore.Assessments(tx), Histories: signinstore.RiskHistories(tx), IPRules: opsstore.IPRules(tx), KeyRing: opsstore.KeyRing(tx), LimitRules: opsstore.LimitRules(tx),

		Grants: delegationstore.Grants(tx), Consents: delegationstore.Consents(tx), OAuthDevices: delegationstore.Devices(tx), Bindings: machinesstore.DPoPBindings(tx), APIKeys: machinesstore.APIKeys(tx), Apps: machinesstore.Apps(tx),
		Tokens: machinesstore.IssuedTokens(tx), Resources: machinesstore.Resources(tx), Quotas: machinesstore.Quotas(tx),

		Mails: tx.Mails(), Outbox: mailingstore.Outbox(tx), Suppressions: mailingstore.Suppressions(tx), Templates: mailingstore.Templates(tx),
	}
}
