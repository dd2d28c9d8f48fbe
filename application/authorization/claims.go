package authorization

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"gatehouse.internal/application/engine/strictjson"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/oauth"
	"gatehouse.internal/domain/secret"
)

// longestClaims bounds the parameter, in bytes.
const longestClaims = 8 << 10

// Refusals of claims requests.
var (
	errClaims      = &oauth.Refusal{Code: oauth.InvalidRequest, Reason: "claims must be a JSON object of at most 8 KiB with the members userinfo and id_token (OpenID Connect Core, section 5.5)"}
	errWeakLogin   = &oauth.Refusal{Code: oauth.UnmetRequirements, Reason: "the sign-in does not meet the requested acr, which is essential"}
	errOtherPerson = &oauth.Refusal{Code: oauth.LoginRequired, Reason: "the signed-in user is not the one named by id_token_hint or the sub claim"}
	errForeignHint = &oauth.Refusal{Code: oauth.InvalidRequest, Reason: "id_token_hint must be an ID token that this service issued to the client, for the same user as the sub claim"}
)

// claimRequest is the request for one claim; nil requests it as a voluntary one.
type claimRequest struct {
	Essential bool             `json:"essential"`
	Value     jsontext.Value   `json:"value"`
	Values    []jsontext.Value `json:"values"`
}

// texts returns the requested values that are strings, in order of preference.
func (w *claimRequest) texts() []string {
	if w == nil {
		return nil
	}
	var texts []string
	for _, value := range append([]jsontext.Value{w.Value}, w.Values...) {
		var text string
		if value != nil && json.Unmarshal(value, &text) == nil {
			texts = append(texts, text)
		}
	}
	return texts
}

// claimsRequest is the claims parameter. Unknown members are ignored.
type claimsRequest struct {
	UserInfo map[string]*claimRequest `json:"userinfo"`
	IDToken  map[string]*claimRequest `json:"id_token"`
}

// loginRequirements are the requirements of a request for the login and the claims.
type loginRequirements struct {
	named oauth.Claims
	// contexts are the requested values of acr, in order of preference; essential reports
	// whether one of them must be reached.
	contexts  []string
	essential bool
	// subject is the requested value of sub; empty for any.
	subject string
}

// wants parses acr_values, and claims for OpenID Connect requests only.
func wants(r *oauth.Request) (loginRequirements, *oauth.Refusal) {
	w := loginRequirements{contexts: strings.Fields(r.ACRValues)}
	if len(w.contexts) > 1 {
		w.contexts = w.contexts[:1] // the best
	}
	if r.Claims == "" || !slices.Contains(r.Scopes(), oauth.OpenID) {
		return w, nil
	}
	var sent claimsRequest
	if len(r.Claims) > longestClaims || strictjson.DecodeKnown([]byte(r.Claims), &sent) != nil {
		return w, errClaims
	}
	w.named = oauth.Claims{UserInfo: known(sent.UserInfo), IDToken: known(sent.IDToken)}
	if acr := sent.IDToken["acr"]; len(acr.texts()) > 0 {
		w.contexts, w.essential = acr.texts(), acr.Essential
	}
	if subject := sent.IDToken["sub"].texts(); len(subject) > 0 {
		w.subject = subject[0]
	}
	return w, nil
}

// known returns the claims about a person that this service has, sorted.
func known(asked map[string]*claimRequest) []string {
	var claims []string
	for claim := range asked {
		if oauth.ScopeOf(claim) != "" {
			claims = append(claims, claim)
		}
	}
	slices.Sort(claims)
	return claims
}

// reachedBy returns the value of acr for a login: a requested one where that is essential, else
// the highest. It reports false where an essential one is not reached.
func (w *loginRequirements) reachedBy(amr []string) (acr string, ok bool) {
	if !w.essential {
		return oauth.ACROf(amr), true
	}
	for _, one := range w.contexts {
		if slices.Contains(oauth.Reached(amr), one) {
			return one, true
		}
	}
	return oauth.ACROf(amr), false
}

// suffices reports whether a login meets the requirements. Of voluntary values the
// first supported one counts.
func (w *loginRequirements) suffices(amr []string) bool {
	if w.essential {
		_, ok := w.reachedBy(amr)
		return ok
	}
	at := slices.IndexFunc(w.contexts, oauth.IsContext)
	return at < 0 || slices.Contains(oauth.Reached(amr), w.contexts[at])
}

// hopeless reports whether no login could suffice.
func (w *loginRequirements) hopeless() bool {
	return w.essential && !slices.ContainsFunc(w.contexts, oauth.IsContext)
}

// unmet returns the refusal of a login that is fresh, but lacks the essential acr or is that of
// another person than the requested sub; nil where it has both.
func (s *Service) unmet(caller access.Caller, a *ValidatedRequest) error {
	if _, ok := a.wants.reachedBy(caller.AMR); !ok {
		return errWeakLogin
	}
	if a.wants.subject != "" && a.wants.subject != s.subjectOf(a.Client.App, caller.User) {
		return errOtherPerson
	}
	return nil
}

// applyIDTokenHint restricts the login to the person in id_token_hint, which may have expired
// (OpenID Connect Core section 3.1.2.2).
func (s *Service) applyIDTokenHint(a *ValidatedRequest) *oauth.Refusal {
	if a.IDTokenHint == "" {
		return nil
	}
	hint, err := s.hinted(secret.New(a.IDTokenHint))
	if err != nil || hint.Audience != a.Client.App.Slug || a.wants.subject != "" && a.wants.subject != hint.Subject {
		return errForeignHint
	}
	a.wants.subject = hint.Subject
	return nil
}
