package users

import (
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"gatehouse.internal/application/engine/schema"
	"gatehouse.internal/application/engine/strictjson"
	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/ports/outbound/crypt"
)

// ImportRow is a row of an import under our own names.
type ImportRow struct {
	Email         email.Address    `json:"email" doc:"Email address of the account."`
	DisplayName   user.DisplayName `json:"display_name,omitzero" doc:"Display name."`
	PasswordHash  secret.String    `json:"password_hash,omitzero" doc:"Password hash from another system: bcrypt, scrypt, PBKDF2, Argon2, SHA-crypt, phpass, salted MD5, or a format of WordPress, Drupal 7, Django, ASP.NET Core Identity, Firebase, Kratos, Better Auth or LDAP." jsonschema:"maxLength=512"`
	EmailVerified bool             `json:"email_verified,omitzero" doc:"Whether the address is known to belong to the account's owner."`
	ExternalID    user.ExternalID  `json:"external_id,omitzero" doc:"ID of the account in the other system."`
	Metadata      map[string]any   `json:"metadata_json,omitzero" doc:"Application-defined metadata. At most 16 KiB and 8 levels deep; numbers beyond ±9007199254740991 are rejected."`
}

// ownFields returns the names of an ImportRow.
func ownFields() []string {
	return []string{"email", "display_name", "password_hash", "email_verified", "external_id", "metadata_json"}
}

// usualField returns our name of a field that exports usually have.
func usualField(theirs string) (string, bool) {
	switch theirs {
	case "sub", "user_id":
		return "external_id", true
	case "app_metadata":
		return "metadata_json", true
	}
	return theirs, slices.Contains(ownFields(), theirs)
}

// UpstreamUser is an account as another system exported it. Its schema takes any
// field, so that a wrong row is an error of that row alone.
type UpstreamUser map[string]jsontext.Value

// SchemaFragment describes the row in a JSON Schema.
func (UpstreamUser) SchemaFragment() map[string]any {
	return map[string]any{
		"type": "object", "maxProperties": 100,
		"description": "An account, with the field names of the other system or of Gatehouse: email (required), display_name, " +
			"password_hash, email_verified, external_id, metadata_json. Plain-text passwords are not accepted. " +
			"A null or empty value is treated as omitted.",
		"examples": []any{map[string]any{ //nolint:gosec // the hash of nobody's password
			"user_id": "auth0|507f1f77bcf86cd799439011", "email": "ada@example.com", "email_verified": true,
			"display_name": "Ada Lovelace", "app_metadata": map[string]any{"plan": "pro"},
			"password_hash": "$2b$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy",
		}},
	}
}

// Mapping maps the fields of another system to ours; nil leaves a field out.
type Mapping map[string]*string

// SchemaFragment describes the mapping in a JSON Schema.
func (Mapping) SchemaFragment() map[string]any {
	targets := []any{nil}
	for _, name := range ownFields() {
		targets = append(targets, name)
	}
	return map[string]any{
		"type": "object", "maxProperties": 100,
		"additionalProperties": map[string]any{"type": []any{"string", "null"}, "enum": targets},
		"examples":             []any{map[string]any{"nickname": "display_name", "picture": nil}},
	}
}

// target returns our name of a field of theirs, "" to leave it out.
func (m Mapping) target(theirs string) (ours string, known bool) {
	if mapped, explicit := m[theirs]; explicit {
		if mapped == nil {
			return "", true
		}
		return *mapped, true
	}
	return usualField(theirs)
}

// rowReader makes rows of what another system exported.
type rowReader struct {
	schema  *schema.Schema
	mapping Mapping
	hashes  crypt.Passwords
}

// names maps each of our fields to the field of theirs that it came from.
type names map[string]string

// read returns a row, or what is wrong with it, told by the names it came under.
func (r rowReader) read(upstream UpstreamUser) (ImportRow, names, []fault.Field) {
	renamed, theirs, complaints := r.rename(upstream)
	if complaints != nil {
		return ImportRow{}, theirs, complaints
	}
	row, complaints := r.decode(renamed)
	theirs.translate(complaints)
	return row, theirs, complaints
}

// sound reads rows: it returns where the outcome of each goes, and those that are sound.
func (r rowReader) sound(all []UpstreamUser) ([]outcome, []importedRow) {
	report := make([]outcome, len(all))
	var sound []importedRow
	for i, upstream := range all {
		row, theirs, complaints := r.read(upstream)
		if complaints != nil {
			report[i] = failed(complaints...)
			continue
		}
		sound = append(sound, importedRow{row: row, theirs: theirs, report: &report[i]})
	}
	return report, sound
}

// rename puts a row under our names.
func (r rowReader) rename(upstream UpstreamUser) (UpstreamUser, names, []fault.Field) {
	renamed, theirs := UpstreamUser{}, names{}
	var complaints []fault.Field
	for _, name := range slices.Sorted(maps.Keys(upstream)) {
		ours, known := r.mapping.target(name)
		first, twice := theirs[ours]
		switch value := upstream[name]; {
		case !known:
			complaints = append(complaints, complaint(name, "is not a known field: map it to a Gatehouse field, or to null to ignore it"))
		case ours == "", absent(value):
		case twice:
			complaints = append(complaints, complaint(name, "maps to "+ours+", as "+fault.Pointer(first)+" does: map only one of them"))
		default:
			renamed[ours], theirs[ours] = value, name
		}
	}
	return renamed, theirs, complaints
}

func absent(value jsontext.Value) bool {
	return value.Kind() == 'n' || string(value) == `""`
}

func complaint(field, message string) fault.Field {
	return fault.Field{Path: fault.Pointer(field), Message: message}
}

// decode reads a row under our names and holds it against every rule that can be
// judged without the store.
func (r rowReader) decode(renamed UpstreamUser) (ImportRow, []fault.Field) {
	var row ImportRow
	raw, err := strictjson.Encode(renamed)
	if err != nil {
		return row, []fault.Field{{Message: "the row cannot be read"}}
	}
	if complaints := r.schema.Validate(raw); complaints != nil {
		return row, complaints
	}
	if err := strictjson.Decode(raw, &row); err != nil {
		return row, fieldsOf(err)
	}
	if hash := row.PasswordHash.Reveal(); hash != "" {
		stored, err := r.hashes.Import(hash)
		if err != nil {
			return row, []fault.Field{complaint("password_hash", fault.From(err).Message)}
		}
		row.PasswordHash = secret.New(stored)
	}
	return row, nil
}

// fieldsOf returns the complaints of a refusal.
func fieldsOf(err error) []fault.Field {
	refusal := fault.From(err)
	if len(refusal.Fields) > 0 {
		return slices.Clone(refusal.Fields)
	}
	return []fault.Field{{Message: refusal.Message}}
}

// translate turns paths into a row under our names into those of theirs.
func (n names) translate(complaints []fault.Field) {
	for i := range complaints {
		ours, rest, _ := strings.Cut(strings.TrimPrefix(complaints[i].Path, "/"), "/")
		name, found := n[ours]
		if !found {
			continue
		}
		complaints[i].Path = fault.Pointer(name)
		if rest != "" {
			complaints[i].Path += "/" + rest
		}
	}
}
