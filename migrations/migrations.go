// Package migrations holds the schema of the store as one timeline of SQL files
// for both databases.
//
// A file is portable SQL with markers in braces where the databases differ; the
// dialect says what each stands for ({key}, {bytes}, {time}, {unlogged}, …). A
// brace has no other use in them. A file that landed is never edited, and the
// program of the previous release must be able to run on its outcome: add, then
// use, then remove.
package migrations

import (
	"embed"
	"io/fs"
)

//go:embed *.sql
var files embed.FS

// Files returns the migrations, named NNNN_what.sql.
func Files() fs.FS { return files }
