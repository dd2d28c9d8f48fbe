// Package risk implements the family RISK: risk assessments of logins, and lockouts.
package risk

import (
	"gatehouse.internal/application/account"
	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/engine/instance"
	"gatehouse.internal/application/engine/page"
	"gatehouse.internal/application/scoring"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/ops"
	"gatehouse.internal/ports/outbound/people"
	"gatehouse.internal/ports/outbound/signin"
)

// The permissions to see the assessments of the members of a workspace, and to judge them.
const (
	reading = "risk:read"
	writing = "risk:write"
)

// Repos holds the repositories of one unit of work.
type Repos struct {
	Users       people.Users
	Sessions    people.Sessions
	Credentials signin.Credentials
	Challenges  signin.Challenges
	Devices     signin.Devices
	Clients     signin.KnownClients
	Failures    signin.LoginFailures
	Histories   signin.RiskHistories
	Assessments signin.Assessments
}

// Service holds the dependencies of the family's commands.
type Service struct {
	Unit        outbound.Unit[Repos]
	Assessments signin.AssessmentDirectory
	Readers     account.Readers
	Policies    account.Policies
	Scorer      *scoring.Scorer

	Lockouts people.Lockouts
	Instance *instance.Current
	Counters ops.LimitCounters
	// Blinder is the one that requests are counted under.
	Blinder outbound.Blinder
	Clock   outbound.Clock
	Cursors page.Cursors
	// Registry returns the commands, once all families are declared.
	Registry func() *command.Registry
}

// Commands lists the commands of the family.
func (s *Service) Commands() []command.Definition {
	return []command.Definition{
		s.evaluate(),
		s.assessmentList(),
		s.feedbackSubmit(),
		s.lockoutList(),
		s.statusGet(),
	}
}
