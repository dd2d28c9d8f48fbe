package system

import (
	"context"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
)

// patience is how long one check may take.
const patience = 2 * time.Second

// HealthGetResult is the result of SYSTEM.HEALTH_GET.
type HealthGetResult struct {
	Status string  `json:"status" doc:"Overall status. ok if every check passes." jsonschema:"enum=ok,enum=failing"`
	Checks []Check `json:"checks" doc:"Results of the checks."`
}

// Check is one thing that was looked at.
type Check struct {
	Name      string `json:"name" doc:"Name of the check. store: the database responds. migrations: its schema matches the program. signing_keys: tokens can be signed. encryption: whether personal data is encrypted. queues: due work is processed. mail: the mail server accepts the connection and login. clock: the clocks of the store and this process agree." jsonschema:"enum=store,enum=migrations,enum=signing_keys,enum=encryption,enum=queues,enum=mail,enum=clock"`
	OK        bool   `json:"ok" doc:"Whether the check passed."`
	LatencyMS int    `json:"latency_ms" doc:"Duration of the check. Milliseconds."`
	Detail    string `json:"detail" doc:"Result in words. The cause of a failure is in the server log."`
}

func (s *Service) healthGet() command.Definition {
	return command.Define(command.Spec[command.None, HealthGetResult]{
		Name:        "SYSTEM.HEALTH_GET",
		Summary:     "Check the health of the instance.",
		Description: "Checks the database, migrations, signing keys, encryption, queues, mail server and clocks.",
		Access:      access.Superadmin(),
		Effect:      command.Reads,
		Handle: func(ctx context.Context, _ command.Call, _ command.None) (HealthGetResult, error) {
			health := HealthGetResult{Status: "ok", Checks: []Check{
				s.look(ctx, "store", s.store),
				s.look(ctx, "migrations", s.migrations),
				s.look(ctx, "signing_keys", s.signingKeys),
				s.look(ctx, "encryption", s.encryption),
				s.look(ctx, "queues", s.queues),
				s.look(ctx, "mail", s.mail),
				s.look(ctx, "clock", s.clock),
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
