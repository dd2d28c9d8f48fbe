package cli

// backupCommand copies the store to a file.
type backupCommand struct {
	File  string `arg:"" help:"File to make."`
	Force bool   `help:"Replace the file where there is one."`
}

// Run makes the backup; instances may keep running.
func (c backupCommand) Run(a *app) error {
	if err := a.program.Backup(a.ctx, c.File, c.Force); err != nil {
		return err
	}
	return a.printf("the backup is in %s\n", c.File)
}

// restoreCommand replaces the store by a backup.
type restoreCommand struct {
	File  string `arg:"" help:"File that gatehouse backup made."`
	Force bool   `help:"Replace the database where there is one."`
}

// Run restores the backup; no instance may be running.
func (c restoreCommand) Run(a *app) error {
	if err := a.program.Restore(a.ctx, c.File, c.Force); err != nil {
		return err
	}
	return a.printf("%s is restored\n", c.File)
}
