package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/alecthomas/kong"
)

// grammar are the subcommands and their arguments, as struct tags for kong.
type grammar struct {
	Dev        devCommand        `cmd:"" help:"Start a development instance on SQLite under data/."`
	Serve      serveCommand      `cmd:"" help:"Start the service; it is configured by environment variables."`
	Migrate    migrateCommand    `cmd:"" help:"Bring the store to the newest schema."`
	Admin      adminCommands     `cmd:"" help:"Administer superadmins."`
	Exec       execCommand       `cmd:"" help:"Call a command of a running service; exec COMMAND --help describes it."`
	Listen     listenCommand     `cmd:"" help:"Forward the events of a running service, signed as webhooks are, to a receiver on this machine."`
	Logs       logsCommand       `cmd:"" help:"Print the events of a running service as they happen."`
	Login      loginCommand      `cmd:"" help:"Sign in to a running service and keep the session in a profile."`
	Logout     logoutCommand     `cmd:"" help:"End the session of a profile and forget it."`
	Profiles   profilesCommand   `cmd:"" help:"List the profiles."`
	Open       openCommand       `cmd:"" help:"Open a page of a running service in a browser."`
	Commands   commandsCommand   `cmd:"" help:"List all commands."`
	Backup     backupCommand     `cmd:"" help:"Copy the SQLite database into a file, also while the service runs."`
	Restore    restoreCommand    `cmd:"" help:"Put a backup in the place of the SQLite database; the service must be stopped."`
	Keys       keysCommands      `cmd:"" help:"Administer encryption keys."`
	Flow       flowCommands      `cmd:"" help:"Move, try and switch off the flows that decide who gets in."`
	License    licenseCommands   `cmd:"" help:"Check license files."`
	Version    versionCommand    `cmd:"" help:"Print the version."`
	Completion completionCommand `cmd:"" help:"Print a completion script for a shell."`

	ShowVersion kong.VersionFlag `name:"version" help:"Print the version."`
}

type (
	devCommand     struct{}
	serveCommand   struct{}
	migrateCommand struct{}
	versionCommand struct{}

	adminCommands struct {
		Create createAdminCommand `cmd:"" help:"Create a superadmin; the password is asked for, or read from standard input."`
	}
	keysCommands struct {
		Reencrypt reencryptCommand `cmd:"" help:"Seal everything under the newest key of ENCRYPTION_KEY."`
	}
	reencryptCommand struct{}
)

// Run starts a development instance.
func (devCommand) Run(a *app) error { return a.until(a.program.Dev) }

// Run starts the service.
func (serveCommand) Run(a *app) error { return a.until(a.program.Serve) }

// Run migrates the store.
func (migrateCommand) Run(a *app) error { return a.until(a.program.Migrate) }

// Run prints the version.
func (versionCommand) Run(a *app) error { return a.printf("gatehouse %s\n", a.program.Version) }

// Run re-encrypts the store and shows progress: on a terminal in one line, else at the
// end only.
func (reencryptCommand) Run(a *app) error {
	total := 0
	err := a.program.Reencrypt(a.ctx, func(done int) {
		total = done
		if a.Terminal {
			_, _ = fmt.Fprintf(a.Err, "\r%d values", done)
		}
	})
	if a.Terminal {
		_, _ = fmt.Fprintln(a.Err)
	}
	if err != nil {
		return err
	}
	return a.printf("%d values are sealed under the newest key\n", total)
}

// until runs a function; the end of the context is not an error.
func (a *app) until(run func(context.Context) error) error {
	err := run(a.ctx)
	if errors.Is(err, context.Canceled) && a.ctx.Err() != nil {
		return nil
	}
	return err
}

func (a *app) printf(format string, args ...any) error {
	if _, err := fmt.Fprintf(a.Out, format, args...); err != nil {
		return fmt.Errorf("write to the output: %w", err)
	}
	return nil
}

// help prints the help of kong, or of the command for exec COMMAND --help.
func (a *app) help(options kong.HelpOptions, parsed *kong.Context) error {
	selected := parsed.Selected()
	for _, step := range parsed.Path {
		if step.Positional != nil && step.Positional.Name == "command" && selected != nil && selected.Name == "exec" {
			found, err := a.find(parsed.Value(step).String())
			if err != nil {
				a.refused = err
				return nil
			}
			return a.describe(found)
		}
	}
	return kong.DefaultHelpPrinter(options, parsed)
}
