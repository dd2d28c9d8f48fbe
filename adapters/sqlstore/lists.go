package sqlstore

import (
	"database/sql"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"

	"gatehouse.internal/domain/group"
	"gatehouse.internal/domain/role"
	"gatehouse.internal/domain/workspace"
)

// EncodeList encodes a list as JSON; an empty list is the empty string.
func EncodeList[T any](list []T) (string, error) {
	if len(list) == 0 {
		return "", nil
	}
	encoded, err := json.Marshal(list)
	return string(encoded), err
}

// DecodeList reads what EncodeList wrote.
func DecodeList[T any](encoded string) ([]T, error) {
	if encoded == "" {
		return nil, nil
	}
	var list []T
	err := json.Unmarshal([]byte(encoded), &list)
	return list, err
}

// Map converts rows to what they store.
func Map[R, S any](rows []R, convert func(*R) (S, error)) ([]S, error) {
	converted := make([]S, len(rows))
	for i := range rows {
		var err error
		if converted[i], err = convert(&rows[i]); err != nil {
			return nil, err
		}
	}
	return converted, nil
}

// Quoted returns a string as it is written in a JSON list. For a string that cannot be encoded
// it returns one that no list contains.
func Quoted(text string) string {
	encoded, err := json.Marshal(text)
	if err != nil {
		return "\x01"
	}
	return string(encoded)
}

// Optional returns the value of a nullable column: NULL for "".
func Optional(text string) sql.NullString { return sql.NullString{String: text, Valid: text != ""} }

// Printable replaces what databases do not accept in foreign text: NUL and invalid UTF-8.
func Printable(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
}

// listDecoder keeps the first error of several lists.
type listDecoder struct{ err error }

func decodeInto[T any](d *listDecoder, encoded string, into *[]T) {
	if d.err == nil {
		*into, d.err = DecodeList[T](encoded)
	}
}

// ListEncoder encodes several lists; err is the first error.
type ListEncoder struct{ Err error }

// EncodeInto encodes one list, unless an earlier one failed.
func EncodeInto[T any](e *ListEncoder, list []T) string {
	if e.Err != nil {
		return ""
	}
	var encoded string
	encoded, e.Err = EncodeList(list)
	return encoded
}

// Qualified prefixes each of a list of columns with the name of a table.
func Qualified(table, columns string) string {
	names := strings.Split(columns, ",")
	for i, name := range names {
		names[i] = table + "." + strings.TrimSpace(name)
	}
	return strings.Join(names, ", ")
}

// GrantsOf decodes the roles of a member.
func GrantsOf(stored string) ([]workspace.Grant, error) {
	grants, err := DecodeList[workspace.Grant](stored)
	if err != nil {
		return nil, fmt.Errorf("decode the roles of a member: %w", err)
	}
	return grants, nil
}

// HoldingOf decodes the roles, groups and permissions of a member.
func HoldingOf(org workspace.ID, grants, groups string, rights int64) (role.MemberGrants, error) {
	held := role.MemberGrants{Org: org, Rights: rights}
	var err error
	if held.Grants, err = GrantsOf(grants); err != nil {
		return held, err
	}
	if held.Groups, err = DecodeList[group.ID](groups); err != nil {
		return held, fmt.Errorf("decode the groups of a member: %w", err)
	}
	return held, nil
}
