package licenses

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/license"
)

var errMeter = fault.Unfit("/meter", "is not a meter of the license")

// UsageParams are the parameters of LICENSE.USAGE_INCREMENT.
type UsageParams struct {
	Key     string `json:"key" doc:"License key." jsonschema:"minLength=1,maxLength=100,example=LIC-9ZKT4-MNW2X-0V8QA-7RD3F-H5CJB"`
	Meter   string `json:"meter" doc:"Name of a meter of the license." jsonschema:"minLength=1,maxLength=64,example=exports"`
	Amount  int64  `json:"amount,omitzero" doc:"Amount to add. Defaults to 1." jsonschema:"minimum=1,maximum=1000000000,example=1"`
	EventID string `json:"event_id,omitzero" doc:"Idempotency key. A meter counts the same event_id once in 24 hours, so you can safely retry a call whose answer was lost." jsonschema:"maxLength=255"`
}

// UsageResult is the result of LICENSE.USAGE_INCREMENT.
type UsageResult struct {
	Code      license.Code `json:"code" doc:"Outcome: valid if the usage is counted, or the reason why it is not." jsonschema:"enum=unknown,enum=revoked,enum=suspended,enum=not_started,enum=expired,enum=meter_exceeded,enum=valid"`
	Used      int64        `json:"used" doc:"Usage in the current period of the meter."`
	Limit     int64        `json:"limit" doc:"Usage limit per period."`
	Remaining int64        `json:"remaining" doc:"Usage left in the current period. 0 if the usage exceeds the limit."`
}

func (s *Service) usageIncrement() command.Definition {
	return command.Define(command.Spec[UsageParams, UsageResult]{
		Name:    "LICENSE.USAGE_INCREMENT",
		Summary: "Record metered usage of a license.",
		Description: "Call this command from your program with the license key; it needs no sign-in.\n\n" +
			"The whole amount is counted, or none of it. A meter with `on_limit` set to `deny` counts nothing if the amount does not fit " +
			"its limit.",
		Access:  access.Public(),
		Effect:  command.Writes,
		Emits:   []event.Kind{license.KindUsageExceeded},
		Limits:  asked(),
		Subject: func(_ context.Context, p UsageParams) (command.Subject, error) { return counted(p.Key) },
		Handle: func(ctx context.Context, _ command.Call, p UsageParams) (result UsageResult, err error) {
			p.Amount = max(p.Amount, 1)
			came, err := s.byKey(ctx, p.Key, func(tx Repos, l *license.License) (seat, error) {
				var err error
				result, err = s.count(ctx, tx, l.Snapshot(), p)
				return seat{code: result.Code}, err
			})
			result.Code = came.code
			return result, err
		},
	})
}

// count counts uses of a license that is held.
func (s *Service) count(ctx context.Context, tx Repos, of license.Snapshot, p UsageParams) (UsageResult, error) {
	meter, known := of.Terms.Meters[p.Meter]
	switch {
	case !known:
		return UsageResult{}, errMeter
	case of.NotStarted():
		return UsageResult{Code: license.NotStarted}, nil
	}
	now := s.now()
	used, err := tx.Meters.Used(ctx, of.ID, p.Meter, meter.Period.Label(now))
	if err != nil {
		return UsageResult{}, err
	}
	again, err := s.again(ctx, tx, of.ID, p)
	if err != nil {
		return UsageResult{}, err
	}
	result := UsageResult{Code: license.Valid, Limit: meter.Limit}
	if !again {
		before := used
		code, passed := used.Count(meter, p.Amount)
		if result.Code = code; passed {
			err = tx.Events.Record(ctx, license.Exceeded(of, used, meter.Limit))
		}
		if used.PurgeAt = meter.Period.PurgeAt(now); err == nil && used != before {
			err = tx.Meters.Save(ctx, of.ID, used)
		}
		if err == nil && p.EventID != "" && result.Code == license.Valid {
			err = tx.Meters.Note(ctx, of.ID, p.name(), now.Add(license.UsesKept))
		}
	}
	result.Used, result.Remaining = used.Used, meter.Left(used.Used)
	return result, err
}

// again reports whether a use was counted under its name before.
func (s *Service) again(ctx context.Context, tx Repos, of license.ID, p UsageParams) (bool, error) {
	if p.EventID == "" {
		return false, nil
	}
	return tx.Meters.Counted(ctx, of, p.name(), s.now())
}

// name returns that of the use, of its meter alone.
func (p UsageParams) name() string { return p.Meter + "|" + p.EventID }
