package login

import (
	"gatehouse.internal/application/account"
	"gatehouse.internal/application/engine/instance"
	"gatehouse.internal/application/invitations"
	"gatehouse.internal/application/maildomains"
	"gatehouse.internal/application/rolegrant"
	"gatehouse.internal/application/scoring"
	"gatehouse.internal/application/token"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/crypt"
	"gatehouse.internal/ports/outbound/mailing"
	"gatehouse.internal/ports/outbound/ops"
	"gatehouse.internal/ports/outbound/people"
	"gatehouse.internal/ports/outbound/signin"
	"gatehouse.internal/ports/outbound/workspaces"
)

// ErrRefused is the answer to every failed login by password. It is the same for every
// reason, so that it reveals nothing about the account.
var ErrRefused = fault.New(fault.Auth, "wrong email address or password")

// ByPassword is the authentication method of a password (RFC 8176).
const ByPassword = "pwd"

// Repos holds the repositories of one unit of work.
type Repos struct {
	account.AccessRepos

	Credentials signin.Credentials
	Workspaces  workspaces.Workspaces
	Books       workspaces.Books
	Entrants    signin.Entrants
	Belonging   workspaces.UserWorkspaces
	Events      outbound.Events
	Failures    signin.LoginFailures
	Factors     signin.SecondFactors
	Clients     signin.KnownClients
	Notices     people.Notices
	Mails       mailing.Mails
	WaysIn      signin.LoginMethods
	Guesses     signin.Guesses
	Histories   signin.RiskHistories
	Assessments signin.Assessments
	Runs        ops.FlowRuns

	Inviting     invitations.Repos
	Domains      maildomains.Repos
	Identities   signin.Identities
	SocialSetups signin.SocialSetups
}

// FlowRuns stores the runs of flows together with the login.
func (tx Repos) FlowRuns() ops.FlowRuns { return tx.Runs }

// Claiming is how an account is claimed within a login's unit of work.
func (tx Repos) Claiming() account.ClaimRepos {
	return account.ClaimRepos{AccessRepos: tx.AccessRepos, Credentials: tx.Credentials, LoginMethods: tx.WaysIn}
}

// Service logs people in.
type Service struct {
	Accounts  people.Accounts
	Unit      outbound.Unit[Repos]
	Passwords crypt.Passwords
	Common    crypt.CommonPasswords
	Risk      *scoring.Scorer
	Policies  account.Policies
	Instance  *instance.Current
	Arrivals  Arrivals
	Access    *token.Access
	Books     *rolegrant.Books
	Refresh   *token.Refresh
	Clock     outbound.Clock
	IDs       outbound.IDs
	Random    outbound.Random
}
