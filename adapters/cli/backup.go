package cli

// backupCommand copies the store to a file.
type backupCommand struct {
	File  string `arg:"" help:"Backup file to create."`
	Force bool   `help:"Overwrite an existing file."`
}

// Run makes the backup; instances may keep running.
func (c backupCommand) Run(a *app) error {
	if err := a.program.Backup(a.ctx, c.File, c.Force); err != nil {
		return err
	}
	return a.printf("saved the backup to %s\n", c.File)
}

// restoreCommand replaces the store by a backup.
type restoreCommand struct {
	File  string `arg:"" help:"Backup file of gatehouse backup."`
	Force bool   `help:"Overwrite an existing database."`
}

// Run restores the backup; no instance may be running.
func (c restoreCommand) Run(a *app) error {
	if err := a.program.Restore(a.ctx, c.File, c.Force); err != nil {
		return err
	}
	return a.printf("restored the database from %s\n", c.File)
}
