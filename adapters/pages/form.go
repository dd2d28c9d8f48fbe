package pages

import (
	"errors"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"gatehouse.internal/domain/fault"
)

// form is what was sent and what is wrong with it.
type form struct {
	values url.Values
	// Errors are complaints by the name of their field, Message is about the whole.
	Errors  map[string]string
	Message string
}

// Value returns what a field is shown with again.
func (f form) Value(name string) string { return f.values.Get(name) }

// Has reports whether a box was ticked.
func (f form) Has(name, value string) bool { return slices.Contains(f.values[name], value) }

// Wrong reports whether anything is.
func (f form) Wrong() bool { return f.Message != "" || len(f.Errors) > 0 }

// fill sets a field that the form itself does not have.
func (f *form) fill(name, value string) {
	if f.values == nil {
		f.values = url.Values{}
	}
	f.values.Set(name, value)
}

// text returns a field without the space around it.
func (f form) text(name string) string { return strings.TrimSpace(f.values.Get(name)) }

// secret returns a field as it was typed.
func (f form) secret(name string) string { return f.values.Get(name) }

// code returns a field in which people type spaces as they see them.
func (f form) code(name string) string { return strings.Join(strings.Fields(f.values.Get(name)), "") }

// refused notes a refusal of a command, beside the fields that it names. An error
// that is no refusal of what was sent is given back.
func (v *visit) refused(err error, fields ...string) error {
	failure, ok := errors.AsType[*fault.Error](err)
	if !ok || v.leads(err) || !failure.Told() {
		return err
	}
	v.form.Errors = map[string]string{}
	for _, complaint := range failure.Fields {
		name, _, _ := strings.Cut(strings.TrimPrefix(complaint.Path, "/"), "/")
		if slices.Contains(fields, name) && v.form.Errors[name] == "" {
			v.form.Errors[name] = sentence(commandNames.ReplaceAllString(complaint.Message, ""))
		}
	}
	if len(v.form.Errors) == 0 {
		v.form.Message = wording(failure)
	}
	return nil
}

// leads reports whether an error leads to another page whatever was sent.
func (v *visit) leads(err error) bool {
	return v.ended(err) || isNotRecent(err) || isUnfinished(err)
}

// retry shows a form again after a refusal, with what is wrong beside its fields;
// a field that the form does not have is told above it.
func (v *visit) retry(err error, again func(*visit) error, fields ...string) error {
	if err := v.refused(err, fields...); err != nil {
		return err
	}
	v.status = http.StatusUnprocessableEntity
	if failure, ok := errors.AsType[*fault.Error](err); ok && failure.Code == fault.RateLimited {
		v.waitFor(failure)
	}
	return again(v)
}

// complain shows a form again with a complaint about a field that no command has seen.
func (v *visit) complain(again func(*visit) error, name, complaint string) error {
	v.form.Errors = map[string]string{name: complaint}
	v.status = http.StatusUnprocessableEntity
	return again(v)
}

// input is a field as the templates draw it.
type input struct {
	Name, Label, Type, Autocomplete string
	Value, Error, Hint              string
	// Optional fields may stay empty; Focus is where the cursor stands first; Chosen
	// fields hold a new password, of which is told how good it is.
	Optional, Focus, Chosen bool
}

// kinds of fields whose value is never sent back.
func secretType(kind string) bool { return kind == "password" || kind == "code" || kind == "key" }

// field draws one input of a form: an address "email", a "password", a "code" of
// digits, a "key" of digits and letters, "letters" to copy, or "text". Of what is wrong, the first is
// where the cursor goes.
func field(f form, name, label, kind, autocomplete string) input {
	in := input{Name: name, Label: label, Type: kind, Autocomplete: autocomplete, Error: f.Errors[name]}
	in.Chosen = autocomplete == "new-password"
	if !secretType(kind) {
		in.Value = f.values.Get(name)
	}
	wrong := slices.Sorted(maps.Keys(f.Errors))
	in.Focus = len(wrong) > 0 && wrong[0] == name
	return in
}

// hint explains a field.
func hint(text string, in input) input {
	in.Hint = text
	return in
}

// optional lets a field stay empty.
func optional(in input) input {
	in.Optional = true
	return in
}

// focus puts the cursor into a field, unless another one is wrong.
func focus(f form, in input) input {
	in.Focus = in.Focus || len(f.Errors) == 0
	return in
}

// selection is a field of which one value is chosen.
type selection struct {
	Name, Label, Value, Error string
	Options                   []struct{ Value, Label string }
}

// selecting draws a field that chooses among values, each of which its label follows.
func selecting(f form, name, label string, values ...string) selection {
	made := selection{Name: name, Label: label, Value: f.values.Get(name), Error: f.Errors[name]}
	for pair := range slices.Chunk(values, 2) { //nolint:mnd // a value and its label
		made.Options = append(made.Options, struct{ Value, Label string }{pair[0], pair[len(pair)-1]})
	}
	return made
}

// value fills a field that nothing was typed into yet.
func value(text string, f form, in input) input {
	if _, typed := f.values[in.Name]; !typed {
		in.Value = text
	}
	return in
}
