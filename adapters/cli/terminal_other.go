//go:build !linux && !darwin

package cli

import (
	"context"
	"errors"
	"io"
	"os"
)

// terminalWidth returns 0: the width is unknown on this platform.
func terminalWidth(*os.File) int { return 0 }

// askHidden fails: hidden input is not implemented on this platform.
func askHidden(context.Context, *os.File, io.Writer, string) (string, error) {
	return "", errors.New("this terminal cannot hide input: pipe the secret to standard input instead")
}
