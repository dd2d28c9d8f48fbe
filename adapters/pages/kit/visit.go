package kit

import (
	"cmp"
	"errors"
	"net/http"
	"path"
	"slices"

	"gatehouse.internal/adapters/client"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/ports/inbound"
)

// Visit is a request of a browser.
type Visit struct {
	Site    *Site
	Writer  http.ResponseWriter
	Request *http.Request

	Tokens, tokensBefore Tokens
	State, stateBefore   State
	Pending              Pending
	Form                 Form
	// branding caches the branding of the page.
	branding *Look
	// Frames allows the page to embed a frame of the same origin.
	Frames bool
	// DevSection is the navigation section of a development page, or "".
	DevSection string
	// Headers are headers that the page sets itself.
	Headers map[string]string
	// Status is the status of the response; 0 means 200.
	Status int
}

func (s *Site) open(w http.ResponseWriter, r *http.Request) *Visit {
	v := &Visit{Site: s, Writer: w, Request: r}
	v.Read(tokensCookie, &v.Tokens)
	v.Read(stateCookie, &v.State)
	v.tokensBefore, v.stateBefore = v.Tokens, v.State
	if v.State.ID == "" {
		v.Renew()
	}
	v.resumeFromAddress()
	return v
}

// AsHolder executes a command as the signed-in person, and refreshes an expired access
// token. It fails with session.ErrEnded if the session has ended.
func (v *Visit) AsHolder(request inbound.Request) (inbound.Reply, error) {
	reply := v.Send(request, v.Tokens.Access)
	if reply.Failure == nil || reply.Failure.Code != fault.TokenExpired || v.Tokens.Refresh == "" {
		return reply, nil
	}
	if err := v.refresh(); err != nil {
		return inbound.Reply{}, err
	}
	return v.Send(request, v.Tokens.Access), nil
}

// Send executes a command on behalf of this browser.
func (v *Visit) Send(asked inbound.Request, bearer string) inbound.Reply {
	request := v.Site.Origin(v.Writer, v.Request)
	request.Command, request.Params, request.DryRun = asked.Command, asked.Params, asked.DryRun
	if bearer != "" {
		request.Authorization = "Bearer " + bearer
	}
	return v.Site.Commands.Execute(v.Request.Context(), request)
}

// refresh exchanges the refresh token. Concurrent exchanges by several tabs return the
// same tokens (contract section 3). A session that does not meet the sign-in rules of its
// workspace moves to the personal one.
func (v *Visit) refresh() error {
	sent := client.AuthRefreshParams{RefreshToken: v.Tokens.Refresh}
	pair, err := v.Anyone().AuthRefresh(v.Context(), sent)
	if errors.Is(err, session.ErrRules) { // the session goes on in the personal workspace
		pair, err = v.Anyone().AuthRefresh(v.Context(), sent)
	}
	if RefusedAs(err, fault.Auth) {
		return session.ErrEnded
	}
	if err != nil {
		return err
	}
	v.Tokens.Access, v.Tokens.Refresh = pair.AccessToken, pair.RefreshToken
	return nil
}

// Redirect responds with 303, so that the browser continues with GET.
func (v *Visit) Redirect(to string) error {
	to, err := v.Carry(to)
	if err != nil {
		return err
	}
	if err := v.Save(); err != nil {
		return err
	}
	v.SetHeaders()
	http.Redirect(v.Writer, v.Request, to, http.StatusSeeOther) //nolint:gosec // what a browser sends is a target only through local
	return nil
}

// Done redirects with a success message.
func (v *Visit) Done(said, to string) error {
	v.State.Done = said
	return v.Redirect(to)
}

// Wrong redirects with an error message.
func (v *Visit) Wrong(said, to string) error {
	v.State.Wrong = said
	return v.Redirect(to)
}

// SetHeaders sets the headers of pages, in addition to those of every response.
// Referrer-Policy must not be no-referrer, or browsers send "Origin: null" with forms.
func (v *Visit) SetHeaders() {
	header := v.Writer.Header()
	header.Set("Content-Security-Policy", contentPolicy("", "", false))
	header.Set("Referrer-Policy", "same-origin")
	header.Set("Cross-Origin-Opener-Policy", "same-origin")
	header.Set("Permissions-Policy", "publickey-credentials-get=(self), publickey-credentials-create=(self)")
	header.Set("Cache-Control", "no-store")
}

// fail responds to an error of a page.
func (v *Visit) fail(err error) {
	if err := v.divert(err); err != nil {
		v.Site.Logger.ErrorContext(v.Request.Context(), "page not shown", "path", v.Request.URL.Path, "error", err)
		http.Error(v.Writer, "Something went wrong.", http.StatusInternalServerError)
	}
}

// divert redirects people who must sign in, confirm or complete something first; other
// errors have a page.
func (v *Visit) divert(err error) error {
	switch {
	case errors.Is(err, errSignedOut):
		return v.Redirect(v.detour("/login"))
	case errors.Is(err, errStale):
		return v.Wrong("You signed in again after this page was shown, so nothing was changed. Try again.", cmp.Or(v.Pending.ReturnTo, v.here()))
	case isUnproved(err):
		v.Tokens.Actions = []client.AuthRequiredAction{client.AuthRequiredActionVerifyEmail}
		return v.Redirect("/login/required")
	case errors.Is(err, ErrUnfinished), isUnfinished(err):
		return v.Redirect("/login/required")
	case errors.Is(err, access.ErrNotRecent):
		return v.Redirect(v.detour(ConfirmPath))
	case v.Ended(err):
		v.Tokens = Tokens{}
		return v.Wrong("You were signed out. Please sign in again.", v.detour("/login"))
	default:
		return v.problem(err)
	}
}

// detour returns the address of a page to sign in, which leads back to the Errand of this page, or
// else to the page itself.
func (v *Visit) detour(by string) string {
	if v.Pending.ReturnTo != "" {
		return by
	}
	return WithReturn(by, v.here())
}

// Ended reports whether an error means that the session has ended.
func (v *Visit) Ended(err error) bool {
	refused, ok := errors.AsType[*fault.Error](err)
	if !ok || v.Tokens.Access == "" {
		return false
	}
	return errors.Is(err, session.ErrEnded) || refused.Code == fault.TokenInvalid || refused.Code == fault.TokenExpired
}

// here returns the address of the current page; for a form, the nearest page above its
// action.
func (v *Visit) here() string {
	if v.Request.Method == http.MethodGet || v.Request.Method == http.MethodHead {
		return v.Request.URL.RequestURI()
	}
	if code := v.Form.Code("user_code"); code != "" {
		return DeviceAddress(code)
	}
	at := v.Request.URL.Path
	shown := func(r Route) bool { return r.Pattern == "GET "+at }
	for at != "/" && !slices.ContainsFunc(v.Site.Routes, shown) {
		at = path.Dir(at)
	}
	return at
}

// Root redirects the root path.
func (v *Visit) Root() error {
	if v.Tokens.Access != "" {
		return v.Redirect(Account)
	}
	return v.Redirect("/login")
}

// notFound shows the page for unknown paths.
func (v *Visit) notFound() error {
	v.Status = http.StatusNotFound
	return v.Show("nowhere", "Page not found", v.Tokens.Access != "")
}
