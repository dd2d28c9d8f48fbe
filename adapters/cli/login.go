package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// loginCommand creates a session and stores it in a profile.
type loginCommand struct {
	Email     string `help:"Sign in with this email address and a password instead of the browser."`
	Password  bool   `help:"Sign in with email address and password instead of the browser."`
	NoBrowser bool   `name:"no-browser" help:"Print the URL of the sign-in page and prompt for the code that it shows. For machines without a browser."`
	URL       string `name:"url" help:"URL of the service. Defaults to GATEHOUSE_URL, then to the URL of the profile, then to http://localhost:8400."`
	Profile   string `help:"Profile to save the session in. Defaults to GATEHOUSE_PROFILE, then to \"default\"."`
}

// challenge is the result of a login that needs a second factor.
type challenge struct {
	tokens

	ChallengeToken  string   `json:"challenge_token"`
	MFARequired     bool     `json:"mfa_required"`
	Methods         []string `json:"methods"`
	RequiredActions []string `json:"required_actions"`
}

// Run signs in through the browser, or with password and second factor. Secrets are
// prompted for on a terminal; else the password is read from standard input.
func (c loginCommand) Run(a *app) error {
	name, err := a.profileName(c.Profile)
	if err != nil {
		return err
	}
	all, err := a.profiles()
	if err != nil {
		return err
	}
	before, err := all.load(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	kept := profile{URL: cmp.Or(c.URL, a.Getenv(variableURL), before.URL, defaultURL)}
	var answer challenge
	if c.Email == "" && !c.Password && (a.ReadSecret != nil || c.NoBrowser) {
		answer, err = a.byBrowser(kept.URL, !c.NoBrowser, "")
	} else {
		answer, err = a.byPassword(c, &kept, before)
	}
	if err != nil {
		return err
	}
	if answer.AccessToken == "" {
		return fmt.Errorf("the account requires an action first (%s): complete it at %s/login, then run gatehouse login again",
			clean(strings.Join(answer.RequiredActions, ", ")), strings.TrimRight(kept.URL, "/"))
	}
	if kept.Email == "" {
		var me struct {
			Email string `json:"email"`
		}
		if err := a.ask(kept.URL, answer.AccessToken, "USER.ME", struct{}{}, &me); err != nil {
			return err
		}
		kept.Email = me.Email
	}
	if err := all.save(name, answer.into(kept, a.Now())); err != nil {
		return err
	}
	return a.printf("signed in to %s as %s (profile %s)\n", kept.URL, clean(kept.Email), name)
}

// byPassword signs in with the password, and with the second factor if the account has one.
func (a *app) byPassword(c loginCommand, kept *profile, before profile) (challenge, error) {
	var err error
	if kept.Email, err = a.emailOrAsk(cmp.Or(c.Email, before.Email), c.Email != ""); err != nil {
		return challenge{}, err
	}
	password, err := a.secretOrPiped("Password: ", "the password")
	if err != nil {
		return challenge{}, err
	}
	var answer challenge
	params := map[string]string{"email": kept.Email, "password": password}
	if err := a.ask(kept.URL, "", "AUTH.LOGIN", params, &answer); err != nil {
		return challenge{}, err
	}
	if answer.MFARequired {
		return a.secondFactor(kept.URL, answer)
	}
	return answer, nil
}

// emailOrAsk returns the given address, or prompts for it with the previous one as
// default.
func (a *app) emailOrAsk(known string, given bool) (string, error) {
	if given {
		return known, nil
	}
	if a.ReadLine == nil {
		return "", usagef("--email is required without a terminal")
	}
	prompt := "Email: "
	if known != "" {
		prompt = "Email [" + known + "]: "
	}
	typed, err := a.ReadLine(a.ctx, prompt)
	if err != nil {
		return "", fmt.Errorf("read the email address: %w", err)
	}
	return cmp.Or(strings.TrimSpace(typed), known), nil
}

// secretOrPiped prompts for a secret, or reads standard input.
func (a *app) secretOrPiped(prompt, what string) (string, error) {
	if a.ReadSecret == nil {
		return a.pipedSecret(what)
	}
	typed, err := a.ReadSecret(a.ctx, prompt)
	if err != nil {
		return "", fmt.Errorf("read %s: %w", what, err)
	}
	return typed, nil
}

// secondFactor completes a login with a code. A code is mailed if there is no other
// method.
func (a *app) secondFactor(base string, open challenge) (challenge, error) {
	var answer challenge
	if a.ReadSecret == nil {
		return answer, errors.New("the account requires a second factor: run gatehouse login in a terminal, or use an API key")
	}
	var ways []string
	for _, method := range open.Methods {
		if words := map[string]string{
			"totp": "authenticator app code", "email": "emailed code", "recovery_code": "recovery code", "bypass": "bypass code",
		}[method]; words != "" {
			ways = append(ways, words)
		}
	}
	if len(ways) == 0 {
		return answer, errors.New("the account requires a passkey: run gatehouse login without --email and --password to use it in the browser")
	}
	mailed := ways[0] == "emailed code"
	if mailed {
		params := map[string]string{"challenge_token": open.ChallengeToken}
		if err := a.ask(base, "", "AUTH.MFA_SEND_CODE", params, &struct{}{}); err != nil {
			return answer, err
		}
	}
	code, err := a.ReadSecret(a.ctx, "Enter your "+strings.Join(ways, " or ")+": ")
	if err != nil {
		return answer, fmt.Errorf("read the code: %w", err)
	}
	params := map[string]string{"challenge_token": open.ChallengeToken, "code": strings.TrimSpace(code)}
	return answer, a.ask(base, "", "AUTH.MFA_VERIFY", params, &answer)
}

// logoutCommand ends the session of a profile and deletes the profile.
type logoutCommand struct {
	Profile string `help:"Profile to sign out. Defaults to GATEHOUSE_PROFILE, then to \"default\"."`
}

// Run ends the session, which may have expired.
func (c logoutCommand) Run(a *app) error {
	name, err := a.profileName(c.Profile)
	if err != nil {
		return err
	}
	all, err := a.profiles()
	if err != nil {
		return err
	}
	kept, err := a.fresh(name, "")
	if errors.Is(err, fs.ErrNotExist) {
		return a.printf("unknown profile %s\n", name)
	}
	if err == nil {
		err = a.ask(kept.URL, kept.AccessToken, "AUTH.LOGOUT", struct{}{}, &struct{}{})
	}
	if refused, is := errors.AsType[*refusal](err); err != nil && (!is || !refused.ended()) {
		return err
	}
	if err := all.remove(name); err != nil {
		return err
	}
	return a.printf("signed out (profile %s)\n", name)
}

// profilesCommand lists the profiles.
type profilesCommand struct {
	Names bool `help:"Print only the names, one per line."`
}

// Run prints a table of the profiles, without tokens.
func (c profilesCommand) Run(a *app) error {
	all, err := a.profiles()
	if err != nil {
		return err
	}
	names, err := all.names()
	if err != nil {
		return err
	}
	var text strings.Builder
	rows := make([][]string, 0, len(names))
	for _, name := range names {
		kept, err := all.load(name)
		if err != nil && !c.Names {
			return err
		}
		if c.Names {
			text.WriteString(name + "\n")
		}
		rows = append(rows, []string{name, kept.URL, kept.Email})
	}
	if !c.Names {
		table(&text, rows)
	}
	return a.printf("%s", text.String())
}

// refusal is the error of an envelope.
type refusal struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Fields  []struct {
		Path    string `json:"path"`
		Message string `json:"message"`
	} `json:"fields"`
}

func (r *refusal) Error() string { return clean(r.Message) }

// ended reports whether the credential is invalid or has expired.
func (r *refusal) ended() bool {
	return r.Code == "AUTH_ERROR" || r.Code == "TOKEN_EXPIRED" || r.Code == "TOKEN_INVALID"
}

// ask calls a command and decodes its data. It fails with a refusal if the response is
// not ok.
func (a *app) ask(base, token, command string, params, into any) error {
	encoded, err := jsonv2.Marshal(params)
	if err != nil {
		return fmt.Errorf("encode the parameters: %w", err)
	}
	body := appendQuoted(jsontext.Value(`{"command":`), command)
	body = append(append(append(body, `,"params":`...), encoded...), '}')
	answer, err := a.call(callRequest{base: base, token: token, body: body})
	if err != nil {
		return err
	}
	if !answer.ok {
		return refusalOf(answer.envelope)
	}
	envelope := struct {
		Data any `json:"data"`
	}{into}
	if err := jsonv2.Unmarshal(answer.envelope, &envelope); err != nil {
		return &unreachableError{cause: fmt.Errorf("read the response of %s: %w", command, err)}
	}
	return nil
}

// refusalOf returns the error of an envelope.
func refusalOf(envelope jsontext.Value) *refusal {
	var read struct {
		Error refusal `json:"error"`
	}
	if err := jsonv2.Unmarshal(envelope, &read); err != nil {
		return &refusal{Message: "the service returned an unreadable error"}
	}
	return &read.Error
}
