package pages_test

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gatehouse.internal/test/e2e/browser"
	"gatehouse.internal/test/e2e/instance"
	"gatehouse.internal/test/harness/pty"
)

// terminalRun is a run of the program in a terminal of a person with a browser.
type terminalRun struct {
	*exec.Cmd

	keyboard *os.File
	said     instance.Output
}

// atTerminal starts the program in a terminal.
func atTerminal(t *testing.T, directory string, environment map[string]string, args ...string) *terminalRun {
	t.Helper()
	run := &terminalRun{Cmd: instance.Command(t, directory, environment, args...)}
	keyboard, screen := pty.Open(t)
	run.keyboard, run.Stdin = keyboard, screen
	run.Stdout, run.Stderr = &run.said, &run.said
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = run.Process.Kill() })
	return run
}

// says waits until the program prints a text between two others.
func (r *terminalRun) says(w *browser.Tab, before, after string) (between string) {
	w.T.Helper()
	w.Eventually("what follows "+before, func() (bool, error) {
		_, rest, begun := strings.Cut(r.said.String(), before)
		var ended bool
		between, _, ended = strings.Cut(rest, after)
		return begun && ended, nil
	})
	return between
}

// ends waits for the program to end well, and returns what it printed.
func (r *terminalRun) ends(t *testing.T) string {
	t.Helper()
	if err := r.Wait(); err != nil {
		t.Fatalf("gatehouse: %v\n%s", err, r.said.String())
	}
	return r.said.String()
}

// The command line opens the browser, which signs it in after Continue; without a browser,
// the person copies a code. TestEveryPageFits for those pages.
func TestSigningInTheCommandLineInTheBrowser(t *testing.T) {
	instance.OnIts(t, instance.SQLite(), func(t *testing.T, on instance.Store) {
		at := browser.House(t, on)
		w, p := browser.NewTab(t, at), instance.Newcomer()
		w.Register(p)
		directory := t.TempDir()
		opener, opened := filepath.Join(directory, "browser"), filepath.Join(directory, "opened")
		script := "#!/bin/sh\nprintf %s \"$1\" >" + opened + ".new && mv " + opened + ".new " + opened + "\n"
		if err := os.WriteFile(opener, []byte(script), 0o700); err != nil {
			t.Fatal(err)
		}
		without := map[string]string{"GATEHOUSE_URL": at.URL}
		with := maps.Clone(without)
		with["BROWSER"] = opener
		address := func() (read string) {
			w.Eventually("the browser", func() (bool, error) {
				content, err := os.ReadFile(opened)
				read = string(content)
				return err == nil, err
			})
			if err := os.Remove(opened); err != nil {
				t.Fatal(err)
			}
			return read
		}

		run := atTerminal(t, directory, with, "login")
		words := run.says(w, "shows the code ", ", then")
		w.Open(address()).Sees("asks to sign in as you").Sees(words).Sees(p.Email).Picture("terminal")
		w.Press("Continue").Sees("Go back to the terminal")
		if said := run.ends(t); !strings.Contains(said, "signed in to "+at.URL+" as "+p.Email) {
			t.Errorf("gatehouse login:\n%s", said)
		}
		if code, said := instance.RunOnce(t, "", directory, without, "exec", "USER.ME"); code != 0 || !strings.Contains(said, p.Email) {
			t.Errorf("gatehouse exec USER.ME = %d:\n%s", code, said)
		}

		run = atTerminal(t, directory, with, "login", "--profile", "refused")
		w.Open(address()).Press("Cancel").Sees("Go back to the terminal")
		if err := run.Wait(); err == nil || !strings.Contains(run.said.String(), "canceled in the browser") {
			t.Errorf("gatehouse login after Cancel: %v\n%s", err, run.said.String())
		}

		run = atTerminal(t, directory, without, "login", "--profile", "copied")
		w.Open(strings.TrimSpace(run.says(w, "on any machine:\n\n", "\n\n"))).Press("Continue").Sees("Copy this code").Picture("terminal-code")
		if _, err := run.keyboard.WriteString(w.Shown("code.key") + "\n"); err != nil {
			t.Fatal(err)
		}
		if said := run.ends(t); !strings.Contains(said, "as "+p.Email+" (profile copied)") {
			t.Errorf("gatehouse login with a copied code:\n%s", said)
		}
		w.Open("/device/terminal?code_challenge=x").Sees("Sign-in failed").Picture("terminal-invalid")
	})
}
