package view

import (
	"time"

	"gatehouse.internal/domain/mfa"
)

// Factor is a second factor in results.
type Factor struct {
	ID         mfa.ID     `json:"id" doc:"Identifier of the factor."`
	Method     mfa.Method `json:"method" doc:"Of which method it is: an authenticator app, or codes by email."`
	Name       string     `json:"name" doc:"What it is called."`
	CreatedAt  time.Time  `json:"created_at" doc:"When its enrollment was confirmed."`
	LastUsedAt *time.Time `json:"last_used_at" doc:"When a login was last answered by it; null: never."`
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
