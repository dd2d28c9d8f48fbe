package system

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gatehouse.internal/application/command"
	"gatehouse.internal/domain/access"
)

// overdue is how long work may wait after it is due. A mail whose server refuses it is
// not due until the next attempt, so that this means that nobody takes it up.
const overdue = 5 * time.Minute

// patience is how long one check may take.
const patience = 2 * time.Second

// HealthGetResult is the result of SYSTEM.HEALTH_GET.
type HealthGetResult struct {
	Status string  `json:"status" doc:"ok when every check is." jsonschema:"enum=ok,enum=failing"`
	Checks []Check `json:"checks" doc:"What was looked at."`
}

// Check is one thing that was looked at.
type Check struct {
	Name      string `json:"name" doc:"store: it answers; migrations: its schema is the program's; signing_keys: tokens can be signed; encryption: whether personal data is sealed; queues: work that is due is done." jsonschema:"enum=store,enum=migrations,enum=signing_keys,enum=encryption,enum=queues"`
	OK        bool   `json:"ok" doc:"Whether it is as it should be."`
	LatencyMS int    `json:"latency_ms" doc:"How long the check took, in whole milliseconds."`
	Detail    string `json:"detail" doc:"What was found; the cause of a failure is in the log."`
}

func (s *Service) healthGet() command.Definition {
	return command.Define(command.Spec[command.None, HealthGetResult]{
		Name:    "SYSTEM.HEALTH_GET",
		Summary: "Look deeply into the health of the instance: store, migrations, signing keys, encryption, queues.",
		Access:  access.Superadmin(),
		Effect:  command.Reads,
		Handle: func(ctx context.Context, _ command.Call, _ command.None) (HealthGetResult, error) {
			health := HealthGetResult{Status: "ok", Checks: []Check{
				s.look(ctx, "store", s.store),
				s.look(ctx, "migrations", s.migrations),
				s.look(ctx, "signing_keys", s.signingKeys),
				s.look(ctx, "encryption", s.encryption),
				s.look(ctx, "queues", s.queues),
			}}
			for _, check := range health.Checks {
				if !check.OK {
					health.Status = "failing"
				}
			}
			return health, nil
		},
	})
}

// look makes one check and times it.
func (s *Service) look(ctx context.Context, name string, at func(context.Context) (string, error)) Check {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	began := s.Clock.Now()
	detail, err := at(ctx)
	if err != nil {
		s.Logger.WarnContext(ctx, "a health check failed", "check", name, "cause", err)
	}
	return Check{Name: name, OK: err == nil, LatencyMS: int(s.Clock.Now().Sub(began).Milliseconds()), Detail: detail}
}

func (s *Service) store(ctx context.Context) (string, error) {
	if err := s.Upkeep.Ping(ctx); err != nil {
		return "the store does not answer", err
	}
	return "the store answers", nil
}

func (s *Service) migrations(ctx context.Context) (string, error) {
	have, want, err := s.Upkeep.Migrated(ctx)
	if err != nil {
		return "the version of the schema cannot be read", err
	}
	detail := fmt.Sprintf("the schema is at version %d, this program wants %d", have, want)
	if have != want {
		return detail, errors.New(detail)
	}
	return detail, nil
}

// signingKeys signs and checks something, which takes the key being there,
// opened and whole.
func (s *Service) signingKeys(context.Context) (string, error) {
	keys := s.Instance.State().Keys
	active := keys.Active()
	if active == nil {
		return "there is no active signing key", errors.New("no active signing key")
	}
	if _, err := active.Sign("health", []byte("{}")); err != nil {
		return "the active signing key does not sign", err
	}
	return fmt.Sprintf("%s signs with %s; %d keys are published", active.ID(), active.Algorithm(), len(keys.Published(s.Clock.Now()))), nil
}

// encryption tells about a choice, so it does not fail.
func (s *Service) encryption(context.Context) (string, error) {
	if s.About.Sealing {
		return "on: personal data is sealed at rest", nil
	}
	return "off: personal data is kept in clear, ENCRYPTION_KEY is not set", nil
}

func (s *Service) queues(ctx context.Context) (string, error) {
	mails, err := s.mailQueue(ctx)
	if err != nil {
		return "the queue of mail cannot be read", err
	}
	detail := fmt.Sprintf("mail: %d due, the oldest for %d s", mails.Ready, mails.OldestSeconds)
	if time.Duration(mails.OldestSeconds)*time.Second > overdue {
		return detail, errors.New("mail is not sent when it is due")
	}
	return detail, nil
}
