package bootstrap

import (
	"context"
	"os"
	"strings"

	"gatehouse.internal/adapters/cli"
	"gatehouse.internal/adapters/jose"
	"gatehouse.internal/bootstrap/config"
	"gatehouse.internal/domain/license"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/ports/inbound"
	"gatehouse.internal/ports/outbound/ops"
)

// Program returns the implementation of the subcommands.
func Program() cli.Program {
	return cli.Program{
		Version:     Version,
		Dev:         func(ctx context.Context) error { return Dev(ctx, environment(), os.Stdout) },
		Serve:       func(ctx context.Context) error { return Serve(ctx, environment()) },
		Migrate:     func(ctx context.Context) error { return withService(ctx, func(*Service) error { return nil }) },
		CreateAdmin: createAdmin,
		DisableFlow: func(ctx context.Context, org, name string) error {
			return withService(ctx, func(s *Service) error { return s.DisableFlow(ctx, org, name) })
		},
		Reencrypt: reencrypt,
		Backup: func(ctx context.Context, file string, overwrite bool) error {
			return Backup(ctx, environment(), file, overwrite)
		},
		Restore: func(ctx context.Context, file string, overwrite bool) error {
			return Restore(ctx, environment(), file, overwrite)
		},
		VerifyLicense: func(file string, set []byte) ([]byte, error) {
			return jose.VerifyFile(file, license.FileType, set)
		},
		Catalog:  catalog,
		Describe: describe,
	}
}

func environment() map[string]string {
	variables := map[string]string{}
	for _, variable := range os.Environ() {
		name, value, _ := strings.Cut(variable, "=")
		variables[name] = value
	}
	return variables
}

// withService opens the configured instance, migrates its schema, and calls work.
func withService(ctx context.Context, work func(*Service) error) error {
	c, err := config.Load(environment(), false)
	if err != nil {
		return err
	}
	s, err := Build(ctx, c, options(&c))
	if err != nil {
		return err
	}
	defer s.Close()
	return work(s)
}

func createAdmin(ctx context.Context, email string, password secret.String) error {
	return withService(ctx, func(s *Service) error {
		return s.parts.makeAdmin(ctx, email, password.Reveal(), false)
	})
}

func reencrypt(ctx context.Context, progress func(done int)) error {
	return withService(ctx, func(s *Service) error {
		var step ops.ReencryptStep
		for done := 0; !step.Done; progress(done) {
			var err error
			if step, err = s.Store.Reencryption().Batch(ctx, step.Next); err != nil {
				return err
			}
			done += step.Read
		}
		return nil
	})
}

// catalog returns the commands; none if Catalog fails, which a test rules out.
func catalog() []inbound.Descriptor {
	commands, _, err := Catalog()
	if err != nil {
		return nil
	}
	return commands
}

// describe returns a command of the catalog.
func describe(name string) (inbound.Descriptor, bool) {
	p := storeless()
	if p.declare() != nil {
		return inbound.Descriptor{}, false
	}
	found, known := p.registry.Find(name)
	if !known {
		return inbound.Descriptor{}, false
	}
	return found.Describe(), true
}
