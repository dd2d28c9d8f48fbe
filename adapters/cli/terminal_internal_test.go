//go:build linux

package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"gatehouse.internal/test/harness/pty"
)

func echoes(t *testing.T, screen *os.File) bool {
	t.Helper()
	settings, err := unix.IoctlGetTermios(int(screen.Fd()), unix.TCGETS)
	if err != nil {
		t.Fatal(err)
	}
	return settings.Lflag&unix.ECHO != 0
}

func TestAskHidden(t *testing.T) {
	t.Parallel()
	keyboard, screen := pty.Open(t)
	asked := make(chan string, 1)
	var shown bytes.Buffer
	go func() {
		line, err := askHidden(t.Context(), screen, &shown, "Password: ")
		asked <- fmt.Sprint(line, err)
	}()
	for echoes(t, screen) {
		time.Sleep(time.Millisecond)
	}
	if _, err := keyboard.WriteString("hunter2\n"); err != nil {
		t.Fatal(err)
	}
	if got := <-asked; got != "hunter2<nil>" {
		t.Errorf("askHidden() = %s", got)
	}
	if shown.String() != "Password: \n" || !echoes(t, screen) {
		t.Errorf("shown %q, echo %v", shown.String(), echoes(t, screen))
	}
}

// An interrupt at the prompt restores the echo of the terminal.
func TestAskHiddenIsInterrupted(t *testing.T) {
	t.Parallel()
	keyboard, screen := pty.Open(t)
	ctx, cancel := context.WithCancel(t.Context())
	asked := make(chan error, 1)
	go func() {
		_, err := askHidden(ctx, screen, &bytes.Buffer{}, "Password: ")
		asked <- err
	}()
	for echoes(t, screen) {
		time.Sleep(time.Millisecond)
	}
	cancel()
	if err := <-asked; !errors.Is(err, context.Canceled) || !echoes(t, screen) {
		t.Errorf("askHidden() = %v, echo %v", err, echoes(t, screen))
	}
	_, _ = keyboard.WriteString("\n") // lets the read end
}
