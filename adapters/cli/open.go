package cli

import (
	"cmp"
	"errors"
	"io/fs"
	"strings"
)

// openCommand opens a page of a running service in a browser.
type openCommand struct {
	Page    string `arg:"" optional:"" default:"/account" help:"Path of the page, such as /docs. Defaults to your account page."`
	URL     string `name:"url" help:"URL of the service. Defaults to GATEHOUSE_URL, then to the URL of the profile, then to http://localhost:8400."`
	Profile string `help:"Profile to use. Defaults to GATEHOUSE_PROFILE, then to \"default\"."`
}

// Run prints the address, and opens it if there is a browser. The browser uses its own
// session: an address that signs in would stay in its history.
func (c openCommand) Run(a *app) error {
	if !strings.HasPrefix(c.Page, "/") {
		return usagef("the page must be a path that starts with /, such as /account")
	}
	base, err := a.address(c.URL, c.Profile)
	if err != nil {
		return err
	}
	if err := a.printf("%s\n", base+c.Page); err != nil {
		return err
	}
	if a.Browse == nil {
		return nil
	}
	return a.Browse(a.ctx, base+c.Page)
}

// address returns the address of the service: of a flag, a variable, a profile, or the
// default.
func (a *app) address(flag, profileFlag string) (string, error) {
	name, err := a.profileName(profileFlag)
	if err != nil {
		return "", err
	}
	all, err := a.profiles()
	if err != nil {
		return "", err
	}
	kept, err := all.load(name)
	if err != nil && (profileFlag != "" || !errors.Is(err, fs.ErrNotExist)) {
		return "", err
	}
	base := cmp.Or(flag, a.Getenv(variableURL), kept.URL, defaultURL)
	if _, err := endpoint(base); err != nil {
		return "", err
	}
	return strings.TrimRight(base, "/"), nil
}
