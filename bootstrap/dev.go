package bootstrap

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"

	"gatehouse.internal/adapters/system"
	"gatehouse.internal/bootstrap/config"
)

// devDirectory is the directory of a development instance's database and secrets.
const devDirectory = "data"

const devAdmin = "admin@gatehouse.local"

// DevConfig returns the configuration of a development instance: with a SQLite file,
// and with secrets generated once and stored in files readable by their owner only.
func DevConfig(variables map[string]string) (config.Config, error) {
	if err := os.MkdirAll(devDirectory, 0o700); err != nil {
		return config.Config{}, fmt.Errorf("create the directory %s: %w", devDirectory, err)
	}
	completed := map[string]string{}
	maps.Copy(completed, variables)
	given := func(name string, value func() (string, error)) error {
		if completed[name] != "" {
			return nil
		}
		made, err := value()
		completed[name] = made
		return err
	}
	err := errors.Join(
		given("DATABASE_URL", func() (string, error) {
			return "sqlite://" + filepath.Join(devDirectory, "gatehouse.db"), nil
		}),
		given("JWT_SECRET", func() (string, error) { return kept("jwt_secret", 48) }),
		given("BOOTSTRAP_ADMIN_EMAIL", func() (string, error) { return devAdmin, nil }),
		given("BOOTSTRAP_ADMIN_PASSWORD", func() (string, error) { return kept("admin_password", 18) }),
		given("LOG_FORMAT", func() (string, error) { return "text", nil }),
	)
	if err != nil {
		return config.Config{}, err
	}
	return config.Load(completed, true)
}

// kept returns the secret in a file of the development directory, generating it if
// there is none. Concurrent starts use the same secret.
func kept(name string, size int) (string, error) {
	path := filepath.Join(devDirectory, name)
	for {
		text, err := os.ReadFile(filepath.Clean(path))
		switch {
		case err == nil && len(text) == 0:
			return "", fmt.Errorf("the secret file %s is empty: delete it to create a new secret", path)
		case err == nil:
			return string(text), nil
		case !errors.Is(err, fs.ErrNotExist):
			return "", fmt.Errorf("read the secret file %s: %w", path, err)
		}
		if err := makeSecret(path, size); err != nil && !errors.Is(err, fs.ErrExist) {
			return "", fmt.Errorf("write the secret file %s: %w", path, err)
		}
	}
}

// makeSecret writes a complete file under another name first, so that a crash leaves
// either the secret or nothing.
func makeSecret(path string, size int) error {
	raw := system.Random{}.Bytes(size)
	draft, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer os.Remove(draft.Name())
	_, err = io.WriteString(draft, base64.RawURLEncoding.EncodeToString(raw))
	if err = errors.Join(err, draft.Close()); err != nil {
		return err
	}
	return os.Link(draft.Name(), path)
}

// Greet returns a function that prints the address of the instance and how to use it.
func Greet(out io.Writer) func(*Service) {
	return func(s *Service) {
		c, mail := s.Config, "sent through SMTP_URL"
		if c.SMTPURL == "" {
			mail = "not sent, shown at " + c.ServiceHost + "/dev/mail"
		}
		fmt.Fprintf(out, `
Gatehouse %s listens on %s

  superadmin  %s
  password    %s
  start page  %s/
  mail        %s

Try it:

  curl -s %s/api/v1/execute -H 'Content-Type: application/json' \
    -d '{"command":"AUTH.LOGIN","params":{"email":"%s","password":"%s"}}'

`, Version, c.ServiceHost, c.AdminEmail, c.AdminPassword, c.ServiceHost, mail,
			c.ServiceHost, c.AdminEmail, c.AdminPassword)
	}
}

// Dev runs a development instance until the context ends.
func Dev(ctx context.Context, variables map[string]string, out io.Writer) error {
	c, err := DevConfig(variables)
	if err != nil {
		return err
	}
	return Run(ctx, c, Greet(out))
}

// Serve runs a production instance until the context ends.
func Serve(ctx context.Context, variables map[string]string) error {
	c, err := config.Load(variables, false)
	if err != nil {
		return err
	}
	return Run(ctx, c, func(s *Service) {
		s.parts.logger.InfoContext(ctx, "listening", "port", c.Port, "issuer", c.ServiceHost, "version", Version)
	})
}
