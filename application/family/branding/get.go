package branding

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/limit"
)

// asksPerMinute bounds one address: every page that it opens asks once.
const asksPerMinute = 6000

func (s *Service) get() command.Definition {
	return command.Define(command.Spec[command.None, Branding]{
		Name: "BRANDING.GET",
		Summary: "The look of mails and pages: that of the active workspace for whoever sends a credential, else that of the instance. " +
			"What a workspace did not set is the instance's, and what that did not set is built in.",
		Access: access.Optional().Unproved(),
		Effect: command.Reads,
		Limits: []limit.Spec{limit.PerMinute(limit.IP, asksPerMinute)},
		Handle: func(ctx context.Context, call command.Call, _ command.None) (Branding, error) {
			inForce, err := s.Looks.InForce(ctx, call.Caller.Org)
			return show(inForce), err
		},
	})
}
