package cluster

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
)

// errNoPrograms names the mend, because tests fail with it and never skip.
var errNoPrograms = errors.New("no PostgreSQL server programs (initdb, pg_ctl) in PATH or " + debian +
	": install PostgreSQL (`make setup`), or name a server in TEST_DATABASE_URL")

// debian is where its packages keep the programs, one directory a version.
const debian = "/usr/lib/postgresql/*/bin"

type programs struct{ initdb, pgctl string }

// findPrograms prefers PATH to the directories that match a pattern, and there
// the newest version.
func findPrograms(elsewhere string) (programs, error) {
	initdb, missing := exec.LookPath("initdb")
	pgctl, err := exec.LookPath("pg_ctl")
	if missing == nil && err == nil {
		return programs{initdb, pgctl}, nil
	}
	dirs, err := filepath.Glob(elsewhere)
	if err != nil {
		return programs{}, fmt.Errorf("look for PostgreSQL: %w", err)
	}
	slices.SortFunc(dirs, func(a, b string) int { return version(b) - version(a) })
	for _, dir := range dirs {
		found := programs{filepath.Join(dir, "initdb"), filepath.Join(dir, "pg_ctl")}
		if executable(found.initdb) && executable(found.pgctl) {
			return found, nil
		}
	}
	return programs{}, errNoPrograms
}

// version reads /usr/lib/postgresql/15/bin as 15.
func version(dir string) int {
	number, _ := strconv.Atoi(filepath.Base(filepath.Dir(dir)))
	return number
}

func executable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode()&0o111 != 0
}

// unprivileged is the account the server runs as: nil means our own, which will
// do unless we are root.
func unprivileged() (*syscall.Credential, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	account, err := user.Lookup("postgres")
	if err != nil {
		account, err = user.Lookup("nobody")
	}
	if err != nil {
		return nil, fmt.Errorf("find an unprivileged user for PostgreSQL: %w", err)
	}
	uid, err := strconv.ParseUint(account.Uid, 10, 32)
	if err != nil {
		return nil, fmt.Errorf("read the user id of %s: %w", account.Username, err)
	}
	gid, err := strconv.ParseUint(account.Gid, 10, 32)
	if err != nil {
		return nil, fmt.Errorf("read the group id of %s: %w", account.Username, err)
	}
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
}
