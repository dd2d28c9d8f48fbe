package cli

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"gatehouse.internal/domain/secret"
)

// secretLimit is the maximum size of a secret read from standard input, in bytes.
const secretLimit = 64 << 10

type createAdminCommand struct {
	Email string `required:"true" help:"Email address of the superadmin."`
}

// Run creates a superadmin. The password is not a flag, because all users of the
// machine can read the arguments of a process.
func (c createAdminCommand) Run(a *app) error {
	password, err := a.newPassword()
	if err != nil {
		return err
	}
	if err := a.program.CreateAdmin(a.ctx, c.Email, secret.New(password)); err != nil {
		return fmt.Errorf("create the superadmin: %w", err)
	}
	return a.printf("created the superadmin %s\n", c.Email)
}

// newPassword prompts twice for a password, or reads it from standard input.
func (a *app) newPassword() (string, error) {
	if a.ReadSecret == nil {
		return a.pipedSecret("the password")
	}
	first, err := a.ReadSecret(a.ctx, "Password: ")
	if err != nil {
		return "", fmt.Errorf("read the password: %w", err)
	}
	second, err := a.ReadSecret(a.ctx, "Repeat password: ")
	switch {
	case err != nil:
		return "", fmt.Errorf("read the password: %w", err)
	case first != second:
		return "", errors.New("the passwords do not match")
	case first == "":
		return "", usagef("the password is empty")
	}
	return first, nil
}

// pipedSecret reads standard input, without the final line end that echo adds.
func (a *app) pipedSecret(what string) (string, error) {
	text, err := io.ReadAll(io.LimitReader(a.In, secretLimit+1))
	switch {
	case err != nil:
		return "", fmt.Errorf("read %s from standard input: %w", what, err)
	case len(text) > secretLimit:
		return "", usagef("%s on standard input is longer than %d KiB", what, secretLimit>>10)
	}
	given := cutLineEnd(string(text))
	if given == "" {
		return "", usagef("%s is missing: write it to standard input", what)
	}
	return given, nil
}

// cutLineEnd removes one line end.
func cutLineEnd(text string) string {
	return strings.TrimSuffix(strings.TrimSuffix(text, "\n"), "\r")
}
