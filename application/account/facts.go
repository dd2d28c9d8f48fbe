package account

import (
	"context"
	"maps"
	"time"

	"gatehouse.internal/domain/device"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/mail"
)

// Asked returns the facts of a mail that somebody requested: the time and the origin,
// so that the recipient can report misuse.
func Asked(ctx context.Context, now time.Time, more map[string]string) map[string]string {
	origin := event.OriginOf(ctx)
	facts := map[string]string{"when": now.UTC().Format(mail.TimeFormat)}
	if origin.IP != "" {
		facts["ip"] = origin.IP
	}
	if shown := device.Describe(origin.UserAgent); shown != "" {
		facts["device"] = shown
	}
	maps.Copy(facts, more)
	return facts
}
