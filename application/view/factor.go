package view

import (
	"time"

	"gatehouse.internal/domain/mfa"
)

// Factor is a second factor in results.
type Factor struct {
	ID         mfa.ID     `json:"id" doc:"ID of the second factor."`
	Method     mfa.Method `json:"method" doc:"Method of the second factor: an authenticator app or emailed codes."`
	Name       string     `json:"name" doc:"Name of the second factor."`
	CreatedAt  time.Time  `json:"created_at" doc:"When the enrollment was confirmed."`
	LastUsedAt *time.Time `json:"last_used_at" doc:"When the second factor was last used to sign in. Null if never."`
}

// OfFactors shows the factors of an account that are enrolled.
func OfFactors(s mfa.Snapshot) []Factor {
	shown := []Factor{}
	for _, one := range s.Enrolled() {
		shown = append(shown, Factor{
			ID: one.ID, Method: one.Method, Name: one.Name, CreatedAt: one.ConfirmedAt, LastUsedAt: Time(one.LastUsedAt),
		})
	}
	return shown
}
