package sqlite_test

import (
	"os"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"

	"gatehouse.internal/adapters/sqlite"
	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/test/contract"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestContract(t *testing.T) {
	t.Parallel()
	open := func(t *testing.T) func() sqlstore.Database {
		// A name that has to be escaped in a URL.
		file := filepath.Join(t.TempDir(), "gate house?#%41.db")
		return func() sqlstore.Database {
			database, err := sqlite.Open(file)
			if err != nil {
				t.Fatal(err)
			}
			return database
		}
	}
	contract.Run(t, open, open)
}

func TestOpenNeedsAFile(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"", ":memory:"} {
		if _, err := sqlite.Open(name); err == nil {
			t.Errorf("Open(%q) succeeded", name)
		}
	}
}

func TestFilesAreForNobodyElse(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "data", "gatehouse.db")
	database, err := sqlite.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = database.Close() }()
	if _, err := database.Write.ExecContext(t.Context(), `CREATE TABLE thing (id TEXT)`); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{file, file + "-wal", file + "-shm"} {
		info, err := os.Stat(name)
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
}

func TestReadersCannotWrite(t *testing.T) {
	t.Parallel()
	database, err := sqlite.Open(filepath.Join(t.TempDir(), "gatehouse.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = database.Close() }()
	if _, err := database.Read.ExecContext(t.Context(), `CREATE TABLE thing (id TEXT)`); err == nil {
		t.Error("a connection for reading wrote")
	}
}
