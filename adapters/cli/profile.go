package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
)

// defaultURL is the default address of a service.
const defaultURL = "http://localhost:8400"

// earlier is how long before its expiry an access token is refreshed.
const earlier = 30 * time.Second

// profile is the address of a service and a session.
type profile struct {
	URL          string    `json:"url"`
	Email        string    `json:"email"`
	AccessToken  string    `json:"access_token"`
	RefreshToken string    `json:"refresh_token"`
	ExpiresAt    time.Time `json:"expires_at"`
}

// profiles are files in a directory of the user, one for each profile.
type profiles struct{ directory string }

var profileName = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,63}$`)

// profiles returns the directory of the profiles.
func (a *app) profiles() (profiles, error) {
	directory, err := a.ConfigDir()
	if err != nil {
		return profiles{}, fmt.Errorf("find your configuration directory: %w", err)
	}
	return profiles{filepath.Join(directory, "gatehouse")}, nil
}

// profileName returns the name of the active profile.
func (a *app) profileName(flag string) (string, error) {
	name := cmp.Or(flag, a.Getenv(variableProfile), "default")
	if !profileName.MatchString(name) {
		return "", usagef("invalid profile name: use lowercase letters, digits, - and _")
	}
	return name, nil
}

func (p profiles) path(name string) string { return filepath.Join(p.directory, name+".json") }

// load reads a profile. It fails with fs.ErrNotExist if there is none.
func (p profiles) load(name string) (profile, error) {
	var read profile
	content, err := os.ReadFile(p.path(name))
	if err == nil {
		err = jsonv2.Unmarshal(content, &read)
	}
	if err != nil {
		return profile{}, fmt.Errorf("read the profile %s: %w", name, err)
	}
	return read, nil
}

// save writes a profile atomically, readable by its owner only.
func (p profiles) save(name string, kept profile) error {
	content, err := jsonv2.Marshal(kept)
	if err != nil {
		return fmt.Errorf("encode the profile: %w", err)
	}
	if err := os.MkdirAll(p.directory, 0o700); err != nil {
		return fmt.Errorf("create the directory of profiles: %w", err)
	}
	draft, err := os.CreateTemp(p.directory, name+".*")
	if err != nil {
		return fmt.Errorf("save the profile %s: %w", name, err)
	}
	defer func() { _ = os.Remove(draft.Name()) }()
	_, err = draft.Write(content)
	err = errors.Join(err, draft.Sync(), draft.Close())
	if err == nil {
		err = os.Rename(draft.Name(), p.path(name))
	}
	if err != nil {
		return fmt.Errorf("save the profile %s: %w", name, err)
	}
	return nil
}

// remove deletes a profile.
func (p profiles) remove(name string) error {
	if err := os.Remove(p.path(name)); err != nil {
		return fmt.Errorf("delete the profile %s: %w", name, err)
	}
	return nil
}

// names returns the names of the profiles in alphabetical order.
func (p profiles) names() ([]string, error) {
	entries, err := os.ReadDir(p.directory)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("list the profiles: %w", err)
	}
	var names []string
	for _, entry := range entries {
		name, isProfile := strings.CutSuffix(entry.Name(), ".json")
		if isProfile && profileName.MatchString(name) {
			names = append(names, name)
		}
	}
	return names, nil
}

// lock locks a profile against other processes of this user until the returned function
// is called, because a refresh token works once.
func (p profiles) lock(ctx context.Context, name string) (func(), error) {
	file, err := os.OpenFile(filepath.Join(p.directory, name+".lock"), os.O_CREATE|os.O_RDWR, 0o600) //nolint:gosec // the name was checked
	if err != nil {
		return nil, fmt.Errorf("lock the profile %s: %w", name, err)
	}
	if err := lockFile(ctx, file); err != nil {
		return nil, errors.Join(fmt.Errorf("lock the profile %s: %w", name, err), file.Close())
	}
	return func() { _ = file.Close() }, nil
}

// fresh returns the profile with a valid access token, after a refresh if needed. stale
// is a token that the service rejected as expired; it is never returned.
func (a *app) fresh(name, stale string) (profile, error) {
	all, err := a.profiles()
	if err != nil {
		return profile{}, err
	}
	valid := func(p profile) bool {
		return p.AccessToken != stale && a.Now().Add(earlier).Before(p.ExpiresAt)
	}
	kept, err := all.load(name)
	if err != nil || valid(kept) {
		return kept, err
	}
	unlock, err := all.lock(a.ctx, name)
	if err != nil {
		return profile{}, err
	}
	defer unlock()
	// Another process may have refreshed it already.
	kept, err = all.load(name)
	if err != nil || valid(kept) {
		return kept, err
	}
	var pair tokens
	if err := a.ask(kept.URL, "", "AUTH.REFRESH", map[string]string{"refresh_token": kept.RefreshToken}, &pair); err != nil {
		return profile{}, err
	}
	kept = pair.into(kept, a.Now())
	return kept, all.save(name, kept)
}

// tokens are the tokens in the result of a login.
type tokens struct {
	AccessToken  string `json:"access_token"`
	RefreshToken string `json:"refresh_token"`
	ExpiresIn    int    `json:"expires_in"`
}

// into returns the profile with the tokens, received at a time.
func (t tokens) into(p profile, now time.Time) profile {
	p.AccessToken, p.RefreshToken = t.AccessToken, t.RefreshToken
	p.ExpiresAt = now.Add(time.Duration(t.ExpiresIn) * time.Second).UTC()
	return p
}
