package recovery

import (
	"context"

	"gatehouse.internal/application/flow/live"
	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/flow"
	"gatehouse.internal/domain/user"
)

// flowVerdict returns what the flow of the instance decides about who forgot their password.
// The flow reads the facts that person returns.
func flowVerdict(
	ctx context.Context, whose user.ID, address email.Address, person func(needs func(string) bool) (map[string]any, error),
) (live.Verdict, error) {
	return live.DecideAlone(ctx, live.Subject{User: whose, Email: address, Facts: func(needs func(string) bool) (map[string]any, error) {
		facts, err := person(needs)
		return map[string]any{"user": facts, "method": "code", "org": nil}, err
	}})
}

// decide runs the flow for the account of a mailed link and returns its runs. It fails with
// FLOW_BLOCKED.
func (s *Service) decide(ctx context.Context, whose user.Snapshot) ([]flow.Run, error) {
	verdict, err := flowVerdict(ctx, whose.ID, whose.Email, func(needs func(string) bool) (map[string]any, error) {
		person := live.Person{Snapshot: whose}
		var err error
		if needs("user.mfa_enrolled") {
			person.Enrolled, err = s.Login.Enrolled(ctx, whose.ID)
		}
		return person.Facts(), err
	})
	if err == nil {
		err = verdict.Err()
	}
	return verdict.Runs, err
}
