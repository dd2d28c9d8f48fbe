package guides_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// blockWithin is the time limit of a block: far more than any takes, since some compile a
// program and the machine may be busy.
const blockWithin = 5 * time.Minute

// shell is one bash that runs the blocks of a guide, as a reader's terminal does.
type shell struct {
	t         *testing.T
	directory string
	input     io.WriteCloser
	// reports has a line for each command that failed, and "end" after each block.
	reports chan string
	count   int
}

// prelude makes bash report every command that fails. Pipes fail with their first part.
const prelude = `set -o pipefail
newline=$(printf '\n.'); newline=${newline%.}
trap 'printf "failed: %s\n" "${BASH_COMMAND%%$newline*}" >&3' ERR
`

// open starts the shell in a directory.
func open(t *testing.T, directory string, environment []string) *shell {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	cmd := exec.CommandContext(ctx, "bash", "--noprofile", "--norc")
	cmd.Dir, cmd.Env, cmd.SysProcAttr = directory, environment, group()
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.ExtraFiles = []*os.File{write}
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	input, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	_ = write.Close()
	s := &shell{t: t, directory: directory, input: input, reports: make(chan string, 100)}
	go func() {
		defer close(s.reports)
		for lines := bufio.NewScanner(read); lines.Scan(); {
			s.reports <- lines.Text()
		}
	}()
	t.Cleanup(func() {
		cancel()
		endGroup(cmd)
		_ = cmd.Wait()
		_ = read.Close()
	})
	_, _ = io.WriteString(input, prelude)
	return s
}

// ran is what a block did.
type ran struct {
	output string
	// failed are the commands that failed.
	failed []string
}

// run runs a text in the shell.
func (s *shell) run(text string) ran {
	s.t.Helper()
	s.count++
	script := filepath.Join(s.t.TempDir(), "block.sh")
	output := script + ".out"
	if err := os.WriteFile(script, []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
	_, _ = fmt.Fprintf(s.input, ". %s > %s 2>&1 < /dev/null; echo end >&3\n", script, output)
	var did ran
	limit := time.NewTimer(blockWithin)
	defer limit.Stop()
	for ended := false; !ended; {
		select {
		case line, open := <-s.reports:
			failed, is := strings.CutPrefix(line, "failed: ")
			if is && !strings.HasPrefix(failed, ". ") {
				did.failed = append(did.failed, failed)
			}
			if !open {
				did.failed = append(did.failed, "the shell ended")
			}
			ended = line == "end" || !open
		case <-limit.C:
			did.failed = append(did.failed, "it did not end within "+blockWithin.String())
			ended = true
		}
	}
	said, err := os.ReadFile(output)
	if err != nil {
		s.t.Fatal(err)
	}
	did.output = string(said)
	return did
}

var refusal = regexp.MustCompile(`"ok":false.*?"code":"([A-Z_]+)"`)

// wrong returns what a block did that it should not have done, or "".
func (b block) wrong(did ran) string {
	var codes []string
	for _, found := range refusal.FindAllStringSubmatch(did.output, -1) {
		codes = append(codes, found[1])
	}
	switch {
	case !slices.Equal(codes, b.refused):
		return fmt.Sprintf("it was refused with %q, want %q", codes, b.refused)
	case b.refused == nil && len(did.failed) > 0:
		return fmt.Sprintf("these failed: %q", did.failed)
	}
	return ""
}
