//go:build linux || darwin

package cli

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// askHidden reads one line of a terminal with its echo off (termios(3)). When
// the context ends, the echo is back on before it returns; the read itself
// cannot be broken off and ends with the process.
func askHidden(ctx context.Context, in *os.File, out io.Writer, prompt string) (string, error) {
	fd := int(in.Fd())
	before, err := unix.IoctlGetTermios(fd, getTermios)
	if err != nil {
		return "", fmt.Errorf("ask the terminal for its settings: %w", err)
	}
	hidden := *before
	hidden.Lflag &^= unix.ECHO
	hidden.Lflag |= unix.ICANON | unix.ISIG
	if err := unix.IoctlSetTermios(fd, setTermios, &hidden); err != nil {
		return "", fmt.Errorf("switch the echo off: %w", err)
	}
	defer func() { _ = unix.IoctlSetTermios(fd, setTermios, before) }()
	_, _ = fmt.Fprint(out, prompt)
	type typed struct {
		line string
		err  error
	}
	read := make(chan typed, 1)
	go func() {
		line, err := bufio.NewReader(in).ReadString('\n')
		read <- typed{line, err}
	}()
	select {
	case <-ctx.Done():
		return "", fmt.Errorf("read the terminal: %w", ctx.Err())
	case got := <-read:
		_, _ = fmt.Fprintln(out)
		if got.err != nil && got.line == "" {
			return "", fmt.Errorf("read the terminal: %w", got.err)
		}
		return cutLineEnd(got.line), nil
	}
}
