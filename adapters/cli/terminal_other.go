//go:build !linux && !darwin

package cli

import (
	"context"
	"errors"
	"io"
	"os"
)

// terminalWidth is unknown.
func terminalWidth(*os.File) int { return 0 }

// askHidden refuses where nobody tried how a terminal hides what is typed.
func askHidden(context.Context, *os.File, io.Writer, string) (string, error) {
	return "", errors.New("this terminal cannot hide what is typed: pipe the secret in instead")
}
