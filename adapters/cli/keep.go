package cli

import (
	"encoding/base64"
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

// prove asks for the password of a profile's account, and for its second factor, and
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
	_, _ = fmt.Fprintln(a.Err, "This needs a sign-in within the last 15 minutes.")
	password, err := a.ReadSecret(a.ctx, "Password of "+clean(kept.Email)+": ")
	if err != nil {
		return profile{}, fmt.Errorf("read the password: %w", err)
	}
	var answer challenge
	if err := a.ask(kept.URL, kept.AccessToken, "AUTH.REAUTHENTICATE", map[string]string{"password": password}, &answer); err != nil {
		return profile{}, err
	}
	if answer.MFARequired {
		if answer, err = a.secondFactor(kept.URL, answer); err != nil {
			return profile{}, err
		}
	}
	if err := a.keep(all, name, answer.tokens); err != nil {
		return profile{}, err
	}
	return all.load(name)
}
