package sqlite_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/jmoiron/sqlx"

	"gatehouse.internal/adapters/sqlite"
	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/test/contract/sqlports"
)

// opened returns a database of the newest schema with a table of its own.
func opened(t *testing.T, file string) sqlstore.Database {
	t.Helper()
	database, err := sqlite.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = database.Close() })
	if _, err := sqlstore.Open(t.Context(), sqlports.Config(t, database)); err != nil {
		t.Fatal(err)
	}
	run(t, database.Write, `CREATE TABLE IF NOT EXISTS pairs (a INTEGER, b INTEGER)`)
	return database
}

func run(t *testing.T, db *sqlx.DB, statement string) {
	t.Helper()
	if _, err := db.ExecContext(t.Context(), statement); err != nil {
		t.Fatal(err)
	}
}

func count(t *testing.T, db *sqlx.DB) (n int) {
	t.Helper()
	if err := db.GetContext(t.Context(), &n, `SELECT COUNT(*) FROM pairs`); err != nil {
		t.Fatal(err)
	}
	return n
}

func TestBackupUnderLoadAndRestore(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file, saved := filepath.Join(dir, "gate house?#%41.db"), filepath.Join(dir, "saved?.db")
	database := opened(t, file)
	ctx, stop := context.WithCancel(t.Context())
	written, ended := make(chan struct{}, 1), make(chan error, 1)
	go func() {
		for i := 0; ctx.Err() == nil; i++ {
			if _, err := database.Write.Exec(fmt.Sprintf(`INSERT INTO pairs VALUES (%d, 0); UPDATE pairs SET b = a WHERE b <> a`, i)); err != nil {
				ended <- err
				return
			}
			select {
			case written <- struct{}{}:
			default:
			}
		}
		ended <- nil
	}()
	<-written
	for range 3 {
		if err := sqlite.Backup(t.Context(), file, saved, true); err != nil {
			t.Errorf("Backup() = %v", err)
		}
	}
	stop()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(saved)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the backup: %v, %v", info, err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "saved*")); len(left) != 1 {
		t.Errorf("files = %q", left)
	}
	if err := sqlite.Restore(t.Context(), saved, file, true); !errors.Is(err, sqlite.ErrRunning) {
		t.Fatalf("Restore() while the database is open = %v", err)
	}
	all := count(t, database.Read)
	if err := database.Close(); err != nil {
		t.Fatal(err)
	}
	if err := sqlite.Restore(t.Context(), saved, file, true); err != nil {
		t.Fatalf("Restore() = %v", err)
	}
	restored := opened(t, file)
	if n := count(t, restored.Read); n == 0 || n > all {
		t.Errorf("%d rows, want 1 to %d", n, all)
	}
}

func TestBackupRefuses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file, saved := filepath.Join(dir, "gatehouse.db"), filepath.Join(dir, "saved.db")
	database := opened(t, file)
	if err := os.WriteFile(saved, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := sqlite.Backup(t.Context(), file, saved, false); !errors.Is(err, sqlite.ErrExists) {
		t.Errorf("Backup() over a file = %v", err)
	}
	if content, err := os.ReadFile(saved); err != nil || string(content) != "precious" {
		t.Errorf("the file holds %q, %v", content, err)
	}
	if err := sqlite.Backup(t.Context(), filepath.Join(dir, "none.db"), saved, true); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("Backup() of nothing = %v", err)
	}
	if err := database.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "none.db")); err == nil {
		t.Error("Backup() of nothing made a database")
	}
}

func TestRestoreRefuses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file, good := filepath.Join(dir, "gatehouse.db"), filepath.Join(dir, "good.db")
	database := opened(t, file)
	run(t, database.Write, `INSERT INTO pairs VALUES (1, 1)`)
	if err := sqlite.Backup(t.Context(), file, good, false); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(good)
	if err != nil {
		t.Fatal(err)
	}
	run(t, database.Write, `UPDATE goose_db_version SET version_id = version_id + 1000`)
	newer := filepath.Join(dir, "newer.db")
	if err := sqlite.Backup(t.Context(), file, newer, false); err != nil {
		t.Fatal(err)
	}
	run(t, database.Write, `UPDATE goose_db_version SET version_id = version_id - 1000`)
	if err := database.Close(); err != nil {
		t.Fatal(err)
	}
	damaged := bytes.Clone(whole)
	for i := len(damaged) / 3; i < len(damaged)/2; i++ {
		damaged[i] = 0xa5
	}
	for name, c := range map[string]struct {
		content   []byte
		overwrite bool
		want      error
	}{
		"text":           {[]byte("no database"), true, sqlite.ErrNoBackup},
		"empty":          {nil, true, sqlite.ErrNoBackup},
		"cut off":        {whole[:len(whole)/2], true, sqlite.ErrNoBackup},
		"damaged":        {damaged, true, sqlite.ErrNoBackup},
		"without asking": {whole, false, sqlite.ErrExists},
	} {
		from := filepath.Join(dir, name)
		if err := os.WriteFile(from, c.content, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := sqlite.Restore(t.Context(), from, file, c.overwrite); !errors.Is(err, c.want) {
			t.Errorf("Restore(%s) = %v, want %v", name, err, c.want)
		}
	}
	if err := sqlite.Restore(t.Context(), newer, file, true); !errors.Is(err, sqlite.ErrNewer) {
		t.Errorf("Restore() of a newer schema = %v", err)
	}
	if err := sqlite.Restore(t.Context(), filepath.Join(dir, "none"), file, true); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("Restore() of nothing = %v", err)
	}
	again := opened(t, file)
	if n := count(t, again.Read); n != 1 {
		t.Errorf("%d rows after what was refused, want 1", n)
	}
	fresh := filepath.Join(dir, "new", "gatehouse.db")
	if err := sqlite.Restore(t.Context(), good, fresh, false); err != nil {
		t.Fatalf("Restore() into a new file = %v", err)
	}
	if n := count(t, opened(t, fresh).Read); n != 1 {
		t.Errorf("%d rows, want 1", n)
	}
}
