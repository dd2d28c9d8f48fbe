package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/alecthomas/kong"
	"github.com/mattn/go-isatty"

	"gatehouse.internal/domain/secret"
	"gatehouse.internal/ports/inbound"
)

// Exit codes.
const (
	exitOK          = 0
	exitFailed      = 1
	exitUsage       = 2
	exitUnreachable = 3
)

// Program implements the subcommands; bootstrap fills it in.
type Program struct {
	Version string
	// Dev, Serve and Migrate run until they are done or the context ends. The end of
	// the context is not an error.
	Dev     func(ctx context.Context) error
	Serve   func(ctx context.Context) error
	Migrate func(ctx context.Context) error
	// CreateAdmin creates a superadmin.
	CreateAdmin func(ctx context.Context, email string, password secret.String) error
	// DisableFlow disables a flow of a workspace, or of the instance if org is empty.
	DisableFlow func(ctx context.Context, org, name string) error
	// Reencrypt encrypts all stored values with the newest key. It calls progress with
	// the number of values processed.
	Reencrypt func(ctx context.Context, progress func(done int)) error
	// Backup copies the store to a file, and Restore replaces the store by one. They
	// fail if the target exists, unless overwrite is set.
	Backup  func(ctx context.Context, file string, overwrite bool) error
	Restore func(ctx context.Context, file string, overwrite bool) error
	// VerifyLicense verifies the signature of a license file with a JWK Set, and
	// returns its claims. It uses neither store nor network.
	VerifyLicense func(file string, set []byte) ([]byte, error)
	// Catalog returns all commands of this release, and Describe the one with a name, which
	// takes a fraction of the time. They use no store.
	Catalog  func() []inbound.Descriptor
	Describe func(name string) (inbound.Descriptor, bool)
}

// Stdio is the environment of the process.
type Stdio struct {
	In       io.Reader
	Out, Err io.Writer
	// Terminal reports whether Out is a terminal.
	Terminal bool
	// Width is the number of columns of the terminal; 0 if unknown.
	Width int
	// Getenv returns an environment variable, or "".
	Getenv func(name string) string
	// ReadSecret prompts for a text without echo; nil if In is not a terminal.
	ReadSecret func(ctx context.Context, prompt string) (string, error)
	// ReadLine prompts for a text with echo; nil if In is not a terminal.
	ReadLine func(ctx context.Context, prompt string) (string, error)
	// Browse opens an address in a browser; nil if there is none.
	Browse func(ctx context.Context, address string) error
	// Machine is the name of this machine.
	Machine string
	// ConfigDir returns the user's configuration directory.
	ConfigDir func() (string, error)
	// Now returns the current time.
	Now func() time.Time
}

// System returns the standard streams and the environment of this process.
func System() Stdio {
	streams := Stdio{
		In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Getenv: os.Getenv,
		Terminal:  isatty.IsTerminal(os.Stdout.Fd()),
		Browse:    browser(os.Getenv),
		ConfigDir: os.UserConfigDir,
		Now:       time.Now, //nolint:forbidigo // the port of the clock belongs to the service
	}
	streams.Machine, _ = os.Hostname()
	if streams.Terminal {
		streams.Width = terminalWidth(os.Stdout)
	}
	if isatty.IsTerminal(os.Stdin.Fd()) {
		streams.ReadSecret = func(ctx context.Context, prompt string) (string, error) {
			return askHidden(ctx, os.Stdin, os.Stderr, prompt)
		}
		streams.ReadLine = func(ctx context.Context, prompt string) (string, error) {
			return askLine(ctx, os.Stdin, os.Stderr, prompt)
		}
	}
	return streams
}

// app is one invocation.
type app struct {
	Stdio

	program Program
	// ctx is the context of the invocation; kong cannot pass one.
	ctx context.Context
	// helped is set when kong has printed help and wants to exit, and refused when
	// printing help failed.
	helped  bool
	refused error
}

// usageError is an error in the arguments.
type usageError struct{ message string }

func (e *usageError) Error() string { return e.message }

func usagef(format string, args ...any) error {
	return &usageError{message: fmt.Sprintf(format, args...)}
}

// unreachableError is the error of a call without an envelope as response.
type unreachableError struct{ cause error }

func (e *unreachableError) Error() string { return e.cause.Error() }
func (e *unreachableError) Unwrap() error { return e.cause }

// errSaidNo ends an invocation whose response has been printed.
var errSaidNo = errors.New("the service returned an error")

// Main runs the program with its arguments, without the program's name, and returns the
// exit code.
func Main(ctx context.Context, args []string, program Program, stdio Stdio) int {
	a := &app{Stdio: stdio, program: program, ctx: ctx}
	return a.code(a.run(args))
}

// code prints an error and returns its exit code.
func (a *app) code(err error) int {
	if err == nil {
		return exitOK
	}
	if errors.Is(err, errSaidNo) {
		return exitFailed
	}
	_, _ = fmt.Fprintf(a.Err, "gatehouse: %v\n", err)
	if _, usage := errors.AsType[*usageError](err); usage {
		return exitUsage
	}
	if _, unreachable := errors.AsType[*unreachableError](err); unreachable {
		return exitUnreachable
	}
	return exitFailed
}

func (a *app) run(args []string) error {
	var read grammar
	parser, err := kong.New(&read,
		kong.Name("gatehouse"),
		kong.Description("A self-hosted authentication and identity service."),
		kong.Writers(a.Out, a.Err),
		kong.Exit(func(int) { a.helped = true }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, NoExpandSubcommands: false}),
		kong.Help(a.help),
		kong.Vars{"version": "gatehouse " + a.program.Version},
	)
	if err != nil {
		return fmt.Errorf("read the grammar: %w", err)
	}
	if len(args) == 0 {
		args = []string{"--help"}
	}
	// kong would replace invalid bytes, which would silently change a password.
	if slices.ContainsFunc(args, func(arg string) bool { return !utf8.ValidString(arg) }) {
		return usagef("an argument is not valid UTF-8")
	}
	parsed, err := parser.Parse(flagsFirst(args))
	switch {
	case a.helped:
		return a.refused
	case err != nil:
		return usagef("%v: run gatehouse --help", err)
	}
	return parsed.Run(a)
}

// flagsFirst moves the flags of exec before its words (see the package comment). Words
// after a bare -- stay in place.
func flagsFirst(args []string) []string {
	if len(args) == 0 || args[0] != "exec" {
		return args
	}
	flags, words := []string{"exec"}, []string(nil)
	for i := 1; i < len(args); i++ {
		switch arg := args[i]; {
		case arg == "--":
			return append(append(flags, words...), args[i:]...)
		case takesValue(arg) && i+1 < len(args):
			flags = append(flags, arg, args[i+1])
			i++
		case strings.HasPrefix(arg, "-") && arg != "-":
			flags = append(flags, arg)
		default:
			words = append(words, arg)
		}
	}
	return append(flags, words...)
}

// takesValue reports whether a flag of exec takes the next argument as its value.
func takesValue(flag string) bool {
	return slices.Contains([]string{"--url", "--token", "--profile", "--org", "--idempotency-key", "--jq", "--columns"}, flag)
}
