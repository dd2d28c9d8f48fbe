package cli

import (
	"embed"
	"fmt"
)

// scripts get names from the program itself, so that they are always current.
//
//go:embed completion.bash completion.zsh completion.fish
var scripts embed.FS

// completionCommand prints a completion script for the shell's start-up file.
type completionCommand struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"Shell: bash, zsh or fish."`
}

// Run prints the script.
func (c completionCommand) Run(a *app) error {
	script, err := scripts.ReadFile("completion." + c.Shell)
	if err != nil {
		return fmt.Errorf("find the script: %w", err)
	}
	return a.printf("%s", script)
}
