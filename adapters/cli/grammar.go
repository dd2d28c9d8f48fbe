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
	Serve      serveCommand      `cmd:"" help:"Start the service, configured by environment variables."`
	Migrate    migrateCommand    `cmd:"" help:"Update the database to the newest schema."`
	Admin      adminCommands     `cmd:"" help:"Manage superadmins."`
	Exec       execCommand       `cmd:"" help:"Call a command of a running service. Use exec COMMAND --help for its parameters."`
	Listen     listenCommand     `cmd:"" help:"Forward events of a running service to a receiver on this machine, signed like webhooks."`
	Logs       logsCommand       `cmd:"" help:"Print events of a running service as they happen."`
	Login      loginCommand      `cmd:"" help:"Sign in to a running service and save the session in a profile."`
	Logout     logoutCommand     `cmd:"" help:"Sign out and delete the profile."`
	Profiles   profilesCommand   `cmd:"" help:"List saved profiles."`
	Open       openCommand       `cmd:"" help:"Open a page of a running service in a browser."`
	Commands   commandsCommand   `cmd:"" help:"List all commands."`
	Backup     backupCommand     `cmd:"" help:"Back up the SQLite database to a file. The service can keep running."`
	Restore    restoreCommand    `cmd:"" help:"Restore the SQLite database from a backup. Stop the service first."`
	Keys       keysCommands      `cmd:"" help:"Manage encryption keys."`
	Flow       flowCommands      `cmd:"" help:"Export, import, test and disable flows."`
	License    licenseCommands   `cmd:"" help:"Verify license files."`
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
		Create createAdminCommand `cmd:"" help:"Create a superadmin. Prompts for the password, or reads it from standard input."`
	}
	keysCommands struct {
		Reencrypt reencryptCommand `cmd:"" help:"Re-encrypt all stored values with the newest key in ENCRYPTION_KEY."`
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
			_, _ = fmt.Fprintf(a.Err, "\r%d values re-encrypted", done)
		}
	})
	if a.Terminal {
		_, _ = fmt.Fprintln(a.Err)
	}
	if err != nil {
		return err
	}
	return a.printf("re-encrypted %d values with the newest key\n", total)
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
