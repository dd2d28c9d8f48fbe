package cli

import (
	"embed"
	"fmt"
)

// scripts ask the program itself for names, so that they never go stale.
//
//go:embed completion.bash completion.zsh completion.fish
var scripts embed.FS

// completionCommand prints a script to be sourced by the shell's start-up file.
type completionCommand struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

// Run prints the script of a shell.
func (c completionCommand) Run(a *app) error {
	script, err := scripts.ReadFile("completion." + c.Shell)
	if err != nil {
		return fmt.Errorf("find the script: %w", err)
	}
	return a.printf("%s", script)
}
