package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"gatehouse.internal/ports/inbound"
)

// connection are the flags for the address and credential of a service.
type connection struct {
	URL     string `name:"url" help:"URL of the service. Defaults to GATEHOUSE_URL, then to the URL of the profile, then to http://localhost:8400."`
	Token   string `help:"Access token or API key. Defaults to GATEHOUSE_TOKEN, then to the session of the profile."`
	Profile string `help:"Profile to use. Defaults to GATEHOUSE_PROFILE, then to \"default\"."`
}

// execCommand calls a command of a running service.
type execCommand struct {
	Command string   `arg:"" help:"Command name, such as USER.ME. Not case-sensitive."`
	Params  []string `arg:"" optional:"" name:"params" help:"Parameters: name=value, name=@file, name=@- (value from standard input, not echoed on a terminal), or - (all parameters as a JSON object from standard input)."`
	connection
	output
	Org            string `help:"ID of the workspace to act in. Defaults to the active workspace of the session."`
	All            bool   `help:"Fetch all pages of a list."`
	DryRun         bool   `help:"Run the command, then roll back its changes."`
	IdempotencyKey string `help:"Idempotency key: calls with the same key take effect only once."`
	Wait           bool   `help:"If the command starts a job, show its progress and print its result."`
}

// Run executes the call and prints the response; it fails if the envelope is not ok.
func (c execCommand) Run(a *app) error {
	made, err := a.exec(c)
	if err != nil {
		return err
	}
	started := jobOf(made.answer.envelope)
	switch {
	case c.Wait && made.answer.ok && started != "":
		return a.wait(made.request, started, made.how)
	case c.All && made.answer.ok:
		return a.pages(made)
	}
	return a.show(made.answer, made.how)
}

// called is a call with its response.
type called struct {
	request callRequest
	// params are the parameters in the body of the request.
	params jsontext.Value
	sent   execCommand
	answer reply
	how    outputOptions
}

// exec calls a command.
func (a *app) exec(c execCommand) (called, error) {
	known, err := a.find(c.Command)
	if err != nil {
		return called{}, err
	}
	schema, err := readShape(known.Params)
	if err != nil {
		return called{}, err
	}
	how, err := c.shown(known)
	if err != nil {
		return called{}, err
	}
	params, err := a.params(schema, c.Params)
	if err == nil && c.All {
		params, err = largePages(schema, params)
	}
	if err != nil {
		return called{}, err
	}
	as, err := a.caller(c.connection, known)
	if refused, is := errors.AsType[*refusal](err); is {
		return called{}, fmt.Errorf("the session of profile %s has ended (%w): sign in again with gatehouse login", as.profile, refused)
	}
	if err != nil {
		return called{}, err
	}
	how.profile = as.profile
	made := called{how: how, params: params, sent: c}
	made.request = callRequest{base: as.base, token: as.token, key: c.IdempotencyKey, body: c.body(known.Name, params)}
	result, err := readShape(known.Result)
	if err != nil {
		return called{}, err
	}
	_, made.request.rotates = result.property("refresh_token")
	made.answer, err = a.callAs(&made.request, as.profile)
	return made, err
}

// caller is the address and the credential of a call.
type caller struct {
	base, token string
	// profile is the name of the profile that the token belongs to, or "".
	profile string
}

// Environment variables of the client.
const (
	variableURL     = "GATEHOUSE_URL"
	variableToken   = "GATEHOUSE_TOKEN"
	variableProfile = "GATEHOUSE_PROFILE"
)

// Variables returns the environment variables of the client.
func Variables() []string { return []string{variableURL, variableToken, variableProfile} }

// caller returns the address and the credential: those of flags and variables, else
// those of the profile. The token of a profile is sent to the profile's address only.
func (a *app) caller(c connection, called inbound.Descriptor) (caller, error) {
	given := caller{
		base:  cmp.Or(c.URL, a.Getenv(variableURL)),
		token: strings.TrimSpace(cmp.Or(c.Token, a.Getenv(variableToken))),
	}
	name, err := a.profileName(c.Profile)
	if err != nil {
		return given, err
	}
	named := c.Profile != "" || a.Getenv(variableProfile) != ""
	all, err := a.profiles()
	if err == nil {
		var kept profile
		if kept, err = all.load(name); err == nil {
			return a.callerOf(given, name, kept, called, named)
		}
	}
	switch {
	case named && errors.Is(err, fs.ErrNotExist):
		return given, usagef("unknown profile %s: create it with gatehouse login --profile %s", name, name)
	case named:
		return given, err
	}
	given.base = cmp.Or(given.base, defaultURL)
	return given, nil
}

// callerOf completes missing values from a profile.
func (a *app) callerOf(given caller, name string, kept profile, called inbound.Descriptor, named bool) (caller, error) {
	elsewhere := given.base != "" && strings.TrimRight(given.base, "/") != strings.TrimRight(kept.URL, "/")
	given.base = cmp.Or(given.base, kept.URL)
	switch {
	case given.token != "":
		return given, nil
	case elsewhere && named:
		return given, usagef("profile %s belongs to %s, and its token is only sent there: omit --url or use another profile", name, kept.URL)
	case elsewhere:
		return given, nil
	}
	given.profile = name
	kept, err := a.fresh(name, "")
	if refused, is := errors.AsType[*refusal](err); is && refused.ended() && called.Access == "public" {
		return caller{base: given.base}, nil
	}
	given.token = kept.AccessToken
	return given, err
}

// body returns the request body (specification section 2.2).
func (c execCommand) body(name string, params jsontext.Value) jsontext.Value {
	body := appendQuoted(jsontext.Value(`{"command":`), name)
	body = append(append(body, `,"params":`...), params...)
	if c.Org != "" {
		body = appendQuoted(append(body, `,"org_id":`...), c.Org)
	}
	if c.DryRun {
		body = append(body, `,"dry_run":true`...)
	}
	return append(body, '}')
}
