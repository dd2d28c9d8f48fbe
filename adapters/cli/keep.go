package cli

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// callAs makes a call with the session of a profile, if one is named. It repeats the call
// with a new token if the token has expired, and after a new sign-in if the command needs
// a recent one. New tokens of the session are kept in the profile instead of answered.
func (a *app) callAs(request *callRequest, profile string) (reply, error) {
	answer, err := a.callKeeping(*request, profile)
	if err != nil || answer.ok || profile == "" {
		return answer, err
	}
	switch {
	case refusalOf(answer.envelope).Code == "TOKEN_EXPIRED":
		// The clock of this machine is behind that of the service.
		kept, err := a.fresh(profile, request.token)
		if err != nil {
			return answer, nil //nolint:nilerr // the response contains the error
		}
		request.token = kept.AccessToken
	case answer.stale && a.ReadSecret != nil:
		kept, err := a.prove(profile)
		if err != nil {
			return answer, err
		}
		request.token = kept.AccessToken
	default:
		return answer, nil
	}
	return a.callKeeping(*request, profile)
}

// callKeeping makes a call, and keeps new tokens of the session in the profile. On a
// terminal it asks for the second factor that such a call may need.
func (a *app) callKeeping(request callRequest, profile string) (reply, error) {
	if profile == "" || !request.rotates {
		return a.call(request)
	}
	all, err := a.profiles()
	if err != nil {
		return reply{}, err
	}
	// No other process may use the refresh token that the call replaces.
	unlock, err := all.lock(a.ctx, profile)
	if err != nil {
		return reply{}, err
	}
	defer unlock()
	answer, err := a.call(request)
	if err != nil || !answer.ok {
		return answer, err
	}
	var got struct {
		Data challenge `json:"data"`
	}
	if err := jsonv2.Unmarshal(answer.envelope, &got); err != nil {
		return answer, nil //nolint:nilerr // the response is no login
	}
	if got.Data.MFARequired && a.ReadSecret != nil {
		if got.Data, err = a.secondFactor(request.base, got.Data); err != nil {
			return answer, err
		}
	}
	pair := got.Data.tokens
	if of := sessionOf(request.token); pair.RefreshToken == "" || of == "" || of != sessionOf(pair.AccessToken) {
		return answer, nil
	}
	if err := a.keep(all, profile, pair); err != nil {
		return answer, err
	}
	answer.envelope, err = withoutTokens(answer.envelope)
	return answer, err
}

// keep stores new tokens of the session of a profile, which the caller has locked.
func (a *app) keep(all profiles, name string, pair tokens) error {
	kept, err := all.load(name)
	if err != nil {
		return err
	}
	return all.save(name, pair.into(kept, a.Now()))
}

// withoutTokens returns an envelope without the tokens in its data, which work once.
func withoutTokens(envelope jsontext.Value) (jsontext.Value, error) {
	data, err := dataOf(envelope)
	if err != nil {
		return nil, err
	}
	data, err = change(data, func(members map[string]jsontext.Value) {
		for _, name := range []string{"access_token", "refresh_token", "token_type", "expires_in", "mfa_required", "challenge_token", "methods"} {
			delete(members, name)
		}
	})
	if err != nil {
		return nil, err
	}
	return change(envelope, func(members map[string]jsontext.Value) { members["data"] = data })
}

// sessionOf returns the session that an access token names, without verifying it; "" if it
// names none.
func sessionOf(accessToken string) string {
	var claims struct {
		Session string `json:"sid"`
	}
	parts := strings.Split(accessToken, ".")
	if len(parts) != 3 {
		return ""
	}
	payload, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil || jsonv2.Unmarshal(payload, &claims) != nil {
		return ""
	}
	return claims.Session
}

// prove has the person of a profile prove that it is them: by the password and the second
// factor of the account, or in the browser if it has no password or they choose to. It
// returns the profile with a session that counts as recent.
func (a *app) prove(name string) (profile, error) {
	all, err := a.profiles()
	if err != nil {
		return profile{}, err
	}
	unlock, err := all.lock(a.ctx, name)
	if err != nil {
		return profile{}, err
	}
	defer unlock()
	kept, err := all.load(name)
	if err != nil {
		return profile{}, err
	}
	var who holder
	if err := a.ask(kept.URL, kept.AccessToken, "AUTH.WHOAMI", struct{}{}, &who); err != nil {
		return profile{}, err
	}
	_, _ = fmt.Fprintln(a.Err, "This needs a sign-in within the last 15 minutes.")
	password := ""
	if who.HasPassword {
		if password, err = a.ReadSecret(a.ctx, "Password of "+clean(kept.Email)+" (leave empty to use the browser): "); err != nil {
			return profile{}, fmt.Errorf("read the password: %w", err)
		}
	}
	pair, err := a.proof(kept, who, password)
	if err != nil {
		return profile{}, err
	}
	if err := a.keep(all, name, pair); err != nil {
		return profile{}, err
	}
	return all.load(name)
}

// holder is the account and the workspace of a session.
type holder struct {
	Subject     string `json:"subject"`
	Session     string `json:"session_id"`
	Org         string `json:"org_id"`
	HasPassword bool   `json:"has_password"`
}

// proof returns tokens of a session that counts as recent: of the one of the profile by a
// password, or of a new one from the browser, which takes its place.
func (a *app) proof(kept profile, who holder, password string) (tokens, error) {
	if password == "" {
		return a.proofByBrowser(kept, who)
	}
	var answer challenge
	if err := a.ask(kept.URL, kept.AccessToken, "AUTH.REAUTHENTICATE", map[string]string{"password": password}, &answer); err != nil {
		return tokens{}, err
	}
	if answer.MFARequired {
		answer, err := a.secondFactor(kept.URL, answer)
		return answer.tokens, err
	}
	return answer.tokens, nil
}

// proofByBrowser fails if another account signs in, whose session it ends.
func (a *app) proofByBrowser(kept profile, who holder) (tokens, error) {
	answer, err := a.byBrowser(kept.URL, true, who.Org)
	if err != nil {
		return tokens{}, err
	}
	var now holder
	if err := a.ask(kept.URL, answer.AccessToken, "AUTH.WHOAMI", struct{}{}, &now); err != nil {
		return tokens{}, err
	}
	if now.Subject != who.Subject {
		err := a.ask(kept.URL, answer.AccessToken, "AUTH.LOGOUT", struct{}{}, &struct{}{})
		return tokens{}, errors.Join(fmt.Errorf("the browser is signed in to a different account: sign in there as %s", clean(kept.Email)), err)
	}
	err = a.ask(kept.URL, answer.AccessToken, "SESSION.REVOKE", map[string]string{"session_id": who.Session}, &struct{}{})
	if refused, is := errors.AsType[*refusal](err); err != nil && (!is || refused.Code != "NOT_FOUND") {
		_, _ = fmt.Fprintf(a.Err, "failed to end the previous session %s: %v\n", clean(who.Session), err)
	}
	return answer.tokens, nil
}
