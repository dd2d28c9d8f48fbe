package ratelimits

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/engine/throttle"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/aggregate"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/limit"
)

// ResetParams are the parameters of RATE_LIMIT.RESET.
type ResetParams struct {
	Command string `json:"command,omitzero" doc:"Name of the command to reset, or * for the limits for all commands. Omit to reset every limit." jsonschema:"minLength=1,maxLength=100,example=AUTH.LOGIN"`
	Subject string `json:"subject,omitzero" doc:"Subject whose counters to clear: an IP address (IPv6 by its /64), session ID, email address, user ID, or the word all. Omit to restore the default limits instead." jsonschema:"minLength=1,maxLength=320,example=203.0.113.7"`
}

// ResetResult is the result of RATE_LIMIT.RESET.
type ResetResult struct {
	Reset bool `json:"reset" doc:"Always true."`
}

func (s *Service) reset() command.Definition {
	return command.Define(command.Spec[ResetParams, ResetResult]{
		Name:    "RATE_LIMIT.RESET",
		Summary: "Restore default rate limits or clear counters.",
		Description: "Without `subject`, restores the default limits of one command or of all. With `subject`, clears what was counted for that subject " +
			"and keeps the limits.",
		Access: access.Superadmin(),
		Effect: command.Writes,
		Emits:  []event.Kind{limit.KindReset},
		Handle: func(ctx context.Context, _ command.Call, p ResetParams) (ResetResult, error) {
			targets := s.targets()
			if p.Command != "" {
				t, err := s.target(p.Command)
				if err != nil {
					return ResetResult{}, err
				}
				targets = []target{t}
			}
			keys, err := s.counters(targets, p.Subject)
			if err != nil {
				return ResetResult{}, err
			}
			err = s.Unit.Do(ctx, func(tx Repos) error {
				if p.Subject == "" {
					return s.untune(ctx, tx, p.Command, targets)
				}
				if err := tx.Rules.Clear(ctx, keys); err != nil {
					return err
				}
				return tx.Events.Record(ctx, limit.WasReset{Command: p.Command, What: limit.ResetCounters})
			})
			if err != nil {
				return ResetResult{}, err
			}
			return ResetResult{Reset: true}, nil
		},
	})
}

// untune drops what was tuned of a command, or of all, and tells of each limit what it was
// and what it is again; where nothing was tuned, it tells of that alone.
func (s *Service) untune(ctx context.Context, tx Repos, name string, targets []target) error {
	if err := tx.Rules.Reset(ctx, name); err != nil {
		return err
	}
	reset := false
	for _, t := range targets {
		for _, tuned := range s.Instance.State().Tuned(t.name) {
			before := t.show(limit.Spec{By: tuned.By, Rule: tuned.Rule}, true)
			change, err := aggregate.Between(t.name, before, t.byKey(t.defaults, tuned.By))
			if err != nil {
				return err
			}
			if err := tx.Events.RecordChange(ctx, limit.WasReset{Command: t.name, What: limit.ResetLimits, Key: tuned.By}, change); err != nil {
				return err
			}
			reset = true
		}
	}
	if reset {
		return nil
	}
	return tx.Events.Record(ctx, limit.WasReset{Command: name, What: limit.ResetLimits})
}

// counters returns the names of a subject's counters; it fails when none of the
// limits counts subjects of that form.
func (s *Service) counters(targets []target, subject string) ([]string, error) {
	if subject == "" {
		return nil, nil
	}
	var keys []string
	var rules []limit.Spec
	for _, t := range targets {
		for _, rule := range s.inForce(t) {
			rules = append(rules, rule)
			if of := counted(rule.By, subject); of != "" {
				keys = append(keys, throttle.Key(s.Blinder, t.name, rule.By, of))
			}
		}
	}
	if keys == nil {
		return nil, errSubject(rules)
	}
	return keys, nil
}
