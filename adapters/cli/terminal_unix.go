//go:build linux || darwin

package cli

import (
	"context"
	"fmt"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// askHidden reads a line from a terminal without echo (termios(3)). If the context
// ends, the echo is restored before it returns.
func askHidden(ctx context.Context, in *os.File, out io.Writer, prompt string) (string, error) {
	fd := int(in.Fd())
	before, err := unix.IoctlGetTermios(fd, getTermios)
	if err != nil {
		return "", fmt.Errorf("read the terminal settings: %w", err)
	}
	hidden := *before
	hidden.Lflag &^= unix.ECHO
	hidden.Lflag |= unix.ICANON | unix.ISIG
	if err := unix.IoctlSetTermios(fd, setTermios, &hidden); err != nil {
		return "", fmt.Errorf("disable terminal echo: %w", err)
	}
	defer func() { _ = unix.IoctlSetTermios(fd, setTermios, before) }()
	line, err := askLine(ctx, in, out, prompt)
	if ctx.Err() == nil {
		_, _ = fmt.Fprintln(out)
	}
	return line, err
}

// terminalWidth returns the number of columns of a terminal; 0 if unknown.
func terminalWidth(of *os.File) int {
	size, err := unix.IoctlGetWinsize(int(of.Fd()), unix.TIOCGWINSZ)
	if err != nil {
		return 0
	}
	return int(size.Col)
}
