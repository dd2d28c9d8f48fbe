package cli

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
)

// askLine reads a line from a terminal. The read cannot be canceled: if the context
// ends first, the goroutine ends with the process.
func askLine(ctx context.Context, in *os.File, out io.Writer, prompt string) (string, error) {
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
		if got.err != nil && got.line == "" {
			return "", fmt.Errorf("read the terminal: %w", got.err)
		}
		return cutLineEnd(got.line), nil
	}
}
