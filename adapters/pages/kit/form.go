package kit

import (
	"errors"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"gatehouse.internal/domain/fault"
)

// Form holds submitted values and their errors.
type Form struct {
	Values url.Values
	// Errors are messages by field name; Message concerns the whole form.
	Errors  map[string]string
	Message string
}

// Value returns the value to show in a field.
func (f Form) Value(name string) string { return f.Values.Get(name) }

// Has reports whether a checkbox is checked.
func (f Form) Has(name, value string) bool { return slices.Contains(f.Values[name], value) }

// Wrong reports whether there are errors.
func (f Form) Wrong() bool { return f.Message != "" || len(f.Errors) > 0 }

// Fill sets a field.
func (f *Form) Fill(name, value string) {
	if f.Values == nil {
		f.Values = url.Values{}
	}
	f.Values.Set(name, value)
}

// Text returns a field without surrounding white space.
func (f Form) Text(name string) string { return strings.TrimSpace(f.Values.Get(name)) }

// Secret returns a field unchanged.
func (f Form) Secret(name string) string { return f.Values.Get(name) }

// Code returns a field without white space.
func (f Form) Code(name string) string { return strings.Join(strings.Fields(f.Values.Get(name)), "") }

// Refused records a failure of a command beside the fields it names. Other errors, and
// failures that lead to another page, are returned.
func (v *Visit) Refused(err error, fields ...string) error {
	failure, ok := errors.AsType[*fault.Error](err)
	if !ok || v.Leads(err) || !failure.Public() {
		return err
	}
	v.Form.Errors = map[string]string{}
	for _, complaint := range failure.Fields {
		name, _, _ := strings.Cut(strings.TrimPrefix(complaint.Path, "/"), "/")
		if slices.Contains(fields, name) && v.Form.Errors[name] == "" {
			v.Form.Errors[name] = Sentence(commandNames.ReplaceAllString(complaint.Message, ""))
		}
	}
	if len(v.Form.Errors) == 0 {
		v.Form.Message = Wording(failure)
	}
	return nil
}

// Leads reports whether an error leads to another page.
func (v *Visit) Leads(err error) bool {
	return v.Ended(err) || IsNotRecent(err) || isUnfinished(err)
}

// Retry shows a form again after a failure, with errors beside its fields; errors of
// other fields are shown above the form.
func (v *Visit) Retry(err error, again func() error, fields ...string) error {
	if err := v.Refused(err, fields...); err != nil {
		return err
	}
	v.Status = http.StatusUnprocessableEntity
	if failure, ok := errors.AsType[*fault.Error](err); ok && failure.Code == fault.RateLimited {
		v.waitFor(failure)
	}
	return again()
}

// Complain shows a form again with an error of a field that was not sent to a command.
func (v *Visit) Complain(again func() error, name, complaint string) error {
	v.Form.Errors = map[string]string{name: complaint}
	v.Status = http.StatusUnprocessableEntity
	return again()
}

// input is a form field for the templates.
type input struct {
	Name, Label, Type, Autocomplete string
	Value, Error, Hint              string
	// Optional fields may be empty, Focus marks the field with initial focus, and
	// Chosen fields take a new password and show its strength.
	Optional, Focus, Chosen bool
}

// secretType reports whether values of a kind of field are never sent back.
func secretType(kind string) bool { return kind == "password" || kind == "code" || kind == "key" }

// field returns an input of a form. Kinds are "email", "password", "code" for digits,
// "key" for digits and letters, "letters" for text to copy, "lines" and "json" for more
// than one line, and "text". The first field with an error has the focus.
func field(f Form, name, label, kind, autocomplete string) input {
	in := input{Name: name, Label: label, Type: kind, Autocomplete: autocomplete, Error: f.Errors[name]}
	in.Chosen = autocomplete == "new-password"
	if !secretType(kind) {
		in.Value = f.Values.Get(name)
	}
	wrong := slices.Sorted(maps.Keys(f.Errors))
	in.Focus = len(wrong) > 0 && wrong[0] == name
	return in
}

// hint adds an explanation to a field.
func hint(text string, in input) input {
	in.Hint = text
	return in
}

// optional marks a field as optional.
func optional(in input) input {
	in.Optional = true
	return in
}

// focus sets the focus on a field, unless another one has an error.
func focus(f Form, in input) input {
	in.Focus = in.Focus || len(f.Errors) == 0
	return in
}

// selection is a select field.
type selection struct {
	Name, Label, Value, Error string
	Options                   []struct{ Value, Label string }
}

// selecting returns a select field; values alternate between value and label.
func selecting(f Form, name, label string, values ...string) selection {
	made := selection{Name: name, Label: label, Value: f.Values.Get(name), Error: f.Errors[name]}
	for pair := range slices.Chunk(values, 2) { //nolint:mnd // a value and its label
		made.Options = append(made.Options, struct{ Value, Label string }{pair[0], pair[len(pair)-1]})
	}
	return made
}

// Value sets the initial value of a field.
func value(text string, f Form, in input) input {
	if _, typed := f.Values[in.Name]; !typed {
		in.Value = text
	}
	return in
}

// Searched returns a search parameter of the query.
func (v *Visit) Searched(name string) string {
	return strings.TrimSpace(v.Request.URL.Query().Get(name))
}

// Integers copies integer fields of the form. Other input is passed on as text, so that
// the command reports the error.
func (v *Visit) Integers(to Params, names ...string) {
	for _, name := range names {
		sent := v.Form.Text(name)
		if number, err := strconv.Atoi(sent); err == nil {
			to[name] = number
		} else {
			to.Text(name, sent)
		}
	}
}

// RedirectFailure redirects to a page with the message of an error.
func (v *Visit) RedirectFailure(err error, to string) error {
	if err := v.Refused(err); err != nil {
		return err
	}
	return v.Wrong(v.Form.Message, to)
}
