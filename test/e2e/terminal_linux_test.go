package e2e_test

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gatehouse.internal/test/harness/pty"
)

// terminalRun is a run of the program in a terminal of a person with a browser.
type terminalRun struct {
	*exec.Cmd

	keyboard *os.File
	said     output
}

// atTerminal starts the program in a terminal.
func atTerminal(t *testing.T, directory string, environment map[string]string, args ...string) *terminalRun {
	t.Helper()
	run := &terminalRun{Cmd: command(t, directory, environment, args...)}
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
func (r *terminalRun) says(w *tab, before, after string) (between string) {
	w.t.Helper()
	w.eventually("what follows "+before, func() (bool, error) {
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
	onIts(t, sqlite(), func(t *testing.T, on store) {
		at := house(t, on)
		w, p := newTab(t, at), newcomer()
		w.register(p)
		directory := t.TempDir()
		browser, opened := filepath.Join(directory, "browser"), filepath.Join(directory, "opened")
		script := "#!/bin/sh\nprintf %s \"$1\" >" + opened + ".new && mv " + opened + ".new " + opened + "\n"
		if err := os.WriteFile(browser, []byte(script), 0o700); err != nil {
			t.Fatal(err)
		}
		without := map[string]string{"GATEHOUSE_URL": at.url}
		with := maps.Clone(without)
		with["BROWSER"] = browser
		address := func() (read string) {
			w.eventually("the browser", func() (bool, error) {
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
		words := run.says(w, "shows the code ", ".\n")
		w.open(address()).sees("asks to sign in as you").sees(words).sees(p.email).picture("terminal")
		w.press("Continue").sees("Go back to the terminal")
		if said := run.ends(t); !strings.Contains(said, "signed in to "+at.url+" as "+p.email) {
			t.Errorf("gatehouse login:\n%s", said)
		}
		if code, said := runOnce(t, "", directory, without, "exec", "USER.ME"); code != 0 || !strings.Contains(said, p.email) {
			t.Errorf("gatehouse exec USER.ME = %d:\n%s", code, said)
		}

		run = atTerminal(t, directory, with, "login", "--profile", "refused")
		w.open(address()).press("Cancel").sees("Go back to the terminal")
		if err := run.Wait(); err == nil || !strings.Contains(run.said.String(), "canceled in the browser") {
			t.Errorf("gatehouse login after Cancel: %v\n%s", err, run.said.String())
		}

		run = atTerminal(t, directory, without, "login", "--profile", "copied")
		w.open(strings.TrimSpace(run.says(w, "on any machine:\n\n", "\n\n"))).press("Continue").sees("Copy this code").picture("terminal-code")
		if _, err := run.keyboard.WriteString(w.shown("code.key") + "\n"); err != nil {
			t.Fatal(err)
		}
		if said := run.ends(t); !strings.Contains(said, "as "+p.email+" (profile copied)") {
			t.Errorf("gatehouse login with a copied code:\n%s", said)
		}
		w.open("/device/terminal?code_challenge=x").sees("This did not work").picture("terminal-invalid")
	})
}
