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

// The exit codes.
const (
	exitOK          = 0
	exitFailed      = 1
	exitUsage       = 2
	exitUnreachable = 3
)

// Program is what the subcommands do; bootstrap fills it.
type Program struct {
	Version string
	// Dev, Serve and Migrate run until they are done or the context ends. That
	// the context ended is no failure to report.
	Dev     func(ctx context.Context) error
	Serve   func(ctx context.Context) error
	Migrate func(ctx context.Context) error
	// CreateAdmin makes a superadmin.
	CreateAdmin func(ctx context.Context, email string, password secret.String) error
	// DisableFlow switches a flow of a workspace off, or one of the instance where org is
	// empty.
	DisableFlow func(ctx context.Context, org, name string) error
	// Reencrypt seals everything under the newest key and tells, as it goes, how
	// many values it has gone through.
	Reencrypt func(ctx context.Context, progress func(done int)) error
	// Backup copies the store into a file, and Restore puts one in its place; neither
	// replaces what is there unless overwrite is set.
	Backup  func(ctx context.Context, file string, overwrite bool) error
	Restore func(ctx context.Context, file string, overwrite bool) error
	// VerifyLicense checks the signature of a licence file by a JWK Set, and returns its
	// claims; it needs no store and no network.
	VerifyLicense func(file string, set []byte) ([]byte, error)
	// Catalog describes all commands of this release; it needs no store.
	Catalog func() []inbound.Descriptor
}

// Stdio is the process as the command line sees it.
type Stdio struct {
	In       io.Reader
	Out, Err io.Writer
	// Terminal reports whether a person reads Out.
	Terminal bool
	// Width is the number of columns of that terminal; 0 when unknown.
	Width int
	// Getenv returns an environment variable, "" when it is not set.
	Getenv func(name string) string
	// ReadSecret asks a person for a text that is not shown while it is typed;
	// nil when In is no terminal.
	ReadSecret func(ctx context.Context, prompt string) (string, error)
	// ReadLine asks a person for a text that may be seen; nil when In is no terminal.
	ReadLine func(ctx context.Context, prompt string) (string, error)
	// ConfigDir returns the directory of the user's configuration.
	ConfigDir func() (string, error)
	// Now returns the time of this machine.
	Now func() time.Time
}

// System returns the standard streams and the environment of this process.
func System() Stdio {
	streams := Stdio{
		In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Getenv: os.Getenv,
		Terminal:  isatty.IsTerminal(os.Stdout.Fd()),
		ConfigDir: os.UserConfigDir,
		Now:       time.Now, //nolint:forbidigo // the clock of the port is the service's
	}
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
	// ctx lives as long as the invocation; kong has no place to pass it by.
	ctx context.Context
	// helped is set by kong when it has printed help and wants to exit, and
	// refused when help itself was impossible.
	helped  bool
	refused error
}

// usageError is a mistake of whoever typed the command line.
type usageError struct{ message string }

func (e *usageError) Error() string { return e.message }

func usagef(format string, args ...any) error {
	return &usageError{message: fmt.Sprintf(format, args...)}
}

// unreachableError is the error of a call to which no envelope came back.
type unreachableError struct{ cause error }

func (e *unreachableError) Error() string { return e.cause.Error() }
func (e *unreachableError) Unwrap() error { return e.cause }

// errSaidNo ends an invocation whose answer is printed already.
var errSaidNo = errors.New("the service said no")

// Main runs the program with its arguments, without the program's own name, and
// gives the exit code.
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
	// kong would replace the bytes, which changes a password without a word.
	if slices.ContainsFunc(args, func(arg string) bool { return !utf8.ValidString(arg) }) {
		return usagef("an argument is no valid UTF-8")
	}
	parsed, err := parser.Parse(flagsFirst(args))
	switch {
	case a.helped:
		return a.refused
	case err != nil:
		return usagef("%v (see gatehouse --help)", err)
	}
	return parsed.Run(a)
}

// flagsFirst moves the flags of exec before its words (see the package's
// decision). What stands behind a bare -- stays where it is.
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

// takesValue reports whether the next argument belongs to this flag of exec.
func takesValue(flag string) bool {
	return flag == "--url" || flag == "--token" || flag == "--profile" || flag == "--idempotency-key"
}
