package notifications

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/notice"
)

// PreferenceSetParams are the parameters of NOTIFICATION.PREFERENCE_SET.
type PreferenceSetParams struct {
	Preferences notice.PreferenceChanges `json:"preferences" doc:"Whether to email notices, by kind. Defaults to true; pass null to reset a kind. Omitted kinds do not change. Vital notices are always emailed and cannot be declined."`
}

func (s *Service) preferenceSet() command.Definition {
	return command.Define(command.Spec[PreferenceSetParams, PreferenceResult]{
		Name:        "NOTIFICATION.PREFERENCE_SET",
		Summary:     "Choose which security notices you receive by email.",
		Description: "Vital notices are always emailed.",
		Access:      access.User().InPerson(),
		Effect:      command.Writes,
		Emits:       []event.Kind{notice.KindPreferenceSet},
		Handle: func(ctx context.Context, call command.Call, p PreferenceSetParams) (PreferenceResult, error) {
			var shown notice.MailedKinds
			err := s.Unit.Do(ctx, func(tx Repos) error {
				chosen, err := tx.Notices.Preferences(ctx, call.Caller.User)
				if err != nil {
					return err
				}
				if err := chosen.Set(p.Preferences); err != nil {
					return err
				}
				shown = chosen.Show()
				if !chosen.Changed() {
					return nil
				}
				return tx.Notices.SavePreferences(ctx, chosen)
			})
			return PreferenceResult{Preferences: shown}, err
		},
	})
}
