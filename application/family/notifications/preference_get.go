package notifications

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/notice"
)

// PreferenceResult is the result of NOTIFICATION.PREFERENCE_GET and PREFERENCE_SET.
type PreferenceResult struct {
	Preferences notice.MailedKinds `json:"preferences" doc:"Whether notices are emailed, by kind. Vital notices always are."`
}

func (s *Service) preferenceGet() command.Definition {
	return command.Define(command.Spec[command.None, PreferenceResult]{
		Name:        "NOTIFICATION.PREFERENCE_GET",
		Summary:     "Retrieve which security notices you receive by email.",
		Description: "`NOTIFICATION.LIST` shows all notices, emailed or not.",
		Access:      access.User(),
		Effect:      command.Reads,
		Handle: func(ctx context.Context, call command.Call, _ command.None) (PreferenceResult, error) {
			chosen, err := s.Directory.Preferences(ctx, call.Caller.User)
			if err != nil {
				return PreferenceResult{}, err
			}
			return PreferenceResult{Preferences: chosen.Show()}, nil
		},
	})
}
