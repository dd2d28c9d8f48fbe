package notifications

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/notice"
)

// PreferenceResult is the result of NOTIFICATION.PREFERENCE_GET and PREFERENCE_SET.
type PreferenceResult struct {
	Preferences notice.Shown `json:"preferences" doc:"Each kind of notice with whether it comes by mail; the vital ones always do."`
}

func (s *Service) preferenceGet() command.Definition {
	return command.Define(command.Spec[command.None, PreferenceResult]{
		Name:    "NOTIFICATION.PREFERENCE_GET",
		Summary: "Which security notices the caller gets by mail; NOTIFICATION.LIST has all of them.",
		Access:  access.User(),
		Effect:  command.Reads,
		Handle: func(ctx context.Context, call command.Call, _ command.None) (PreferenceResult, error) {
			chosen, err := s.Directory.Preferences(ctx, call.Caller.User)
			if err != nil {
				return PreferenceResult{}, err
			}
			return PreferenceResult{Preferences: chosen.Show()}, nil
		},
	})
}
