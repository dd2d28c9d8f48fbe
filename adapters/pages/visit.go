package pages

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"path"
	"slices"

	"github.com/go-json-experiment/json"

	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/ports/inbound"
)

// visit is a request of a browser.
type visit struct {
	site *Site
	w    http.ResponseWriter
	r    *http.Request

	tokens, tokensBefore tokens
	state, stateBefore   state
	pending              pending
	form                 form
	// branding caches the branding of the page.
	branding *look
	// frames allows the page to embed a frame of the same origin.
	frames bool
	// paddled allows the page to run Paddle.js.
	paddled bool
	// status is the status of the response; 0 means 200.
	status int
}

func (s *Site) open(w http.ResponseWriter, r *http.Request) *visit {
	v := &visit{site: s, w: w, r: r}
	v.read(tokensCookie, &v.tokens)
	v.read(stateCookie, &v.state)
	v.tokensBefore, v.stateBefore = v.tokens, v.state
	if v.state.ID == "" {
		v.renew()
	}
	v.resumeFromAddress()
	return v
}

// params are parameters of a command.
type params map[string]any

func (p params) text(name, value string) params {
	if value != "" {
		p[name] = value
	}
	return p
}

// ask executes a command without credentials.
func (v *visit) ask(command string, p params, into any) error {
	reply, err := v.execute(command, p, "")
	if err != nil {
		return err
	}
	return decodeReply(reply, into)
}

// call executes a command as the signed-in person. It fails with session.ErrEnded if
// the session has ended.
func (v *visit) call(command string, p params, into any) error {
	raw, err := encoded(command, p)
	if err != nil {
		return err
	}
	reply, err := v.asHolder(inbound.Request{Command: command, Params: raw})
	if err != nil {
		return err
	}
	return decodeReply(reply, into)
}

// callOrAsk executes a command as the signed-in person, or without credentials if the
// session has ended.
func (v *visit) callOrAsk(command string, p params, into any) error {
	err := v.call(command, p, into)
	if errors.Is(err, session.ErrEnded) || refusedAs(err, fault.Auth, fault.TokenInvalid) {
		v.tokens = tokens{}
		return v.ask(command, p, into)
	}
	return err
}

// asHolder executes a command as the signed-in person, and refreshes an expired access
// token. It fails with session.ErrEnded if the session has ended.
func (v *visit) asHolder(request inbound.Request) (inbound.Reply, error) {
	reply := v.send(request, v.tokens.Access)
	if reply.Failure == nil || reply.Failure.Code != fault.TokenExpired || v.tokens.Refresh == "" {
		return reply, nil
	}
	if err := v.refresh(); err != nil {
		return inbound.Reply{}, err
	}
	return v.send(request, v.tokens.Access), nil
}

// execute executes a command. It fails with errForm if a parameter is invalid UTF-8.
func (v *visit) execute(command string, p params, bearer string) (inbound.Reply, error) {
	raw, err := encoded(command, p)
	if err != nil {
		return inbound.Reply{}, err
	}
	return v.send(inbound.Request{Command: command, Params: raw}, bearer), nil
}

// encoded returns parameters as JSON. It fails with errForm if one is invalid UTF-8.
func encoded(command string, p params) ([]byte, error) {
	if p == nil {
		p = params{}
	}
	raw, err := json.Marshal(p)
	if err != nil {
		return nil, fmt.Errorf("write the parameters of %s: %w: %w", command, errForm, err)
	}
	return raw, nil
}

// send executes a command on behalf of this browser.
func (v *visit) send(asked inbound.Request, bearer string) inbound.Reply {
	request := v.site.Origin(v.w, v.r)
	request.Command, request.Params, request.DryRun = asked.Command, asked.Params, asked.DryRun
	if bearer != "" {
		request.Authorization = "Bearer " + bearer
	}
	return v.site.Commands.Execute(v.r.Context(), request)
}

func decodeReply(reply inbound.Reply, into any) error {
	if reply.Failure != nil {
		return reply.Failure
	}
	if into == nil {
		return nil
	}
	if err := json.Unmarshal(reply.Data, into); err != nil {
		return fmt.Errorf("read the result of %s: %w", reply.Command, err)
	}
	return nil
}

// refresh exchanges the refresh token. Concurrent exchanges by several tabs return the
// same tokens (contract section 3). A session that does not meet the sign-in rules of its
// workspace moves to the personal one.
func (v *visit) refresh() error {
	var pair outcome
	exchange := func() error { return v.ask("AUTH.REFRESH", params{"refresh_token": v.tokens.Refresh}, &pair) }
	err := exchange()
	if errors.Is(err, session.ErrRules) { // the session goes on in the personal workspace
		err = exchange()
	}
	if refusedAs(err, fault.Auth) {
		return session.ErrEnded
	}
	if err != nil {
		return err
	}
	v.tokens.Access, v.tokens.Refresh = pair.AccessToken, pair.RefreshToken
	return nil
}

// redirect responds with 303, so that the browser continues with GET.
func (v *visit) redirect(to string) error {
	to, err := v.carry(to)
	if err != nil {
		return err
	}
	if err := v.save(); err != nil {
		return err
	}
	v.headers()
	http.Redirect(v.w, v.r, to, http.StatusSeeOther) //nolint:gosec // what a browser sends is a target only through local
	return nil
}

// done redirects with a success message.
func (v *visit) done(said, to string) error {
	v.state.Done = said
	return v.redirect(to)
}

// wrong redirects with an error message.
func (v *visit) wrong(said, to string) error {
	v.state.Wrong = said
	return v.redirect(to)
}

// headers sets the headers of pages, in addition to those of every response.
// Referrer-Policy must not be no-referrer, or browsers send "Origin: null" with forms.
func (v *visit) headers() {
	header := v.w.Header()
	header.Set("Content-Security-Policy", contentPolicy("", "", false))
	header.Set("Referrer-Policy", "same-origin")
	header.Set("Cross-Origin-Opener-Policy", "same-origin")
	if v.paddled {
		// Paddle checks the referring site, and opens windows for bank authentication.
		header.Set("Referrer-Policy", "strict-origin-when-cross-origin")
		header.Set("Cross-Origin-Opener-Policy", "same-origin-allow-popups")
	}
	header.Set("Permissions-Policy", "publickey-credentials-get=(self), publickey-credentials-create=(self)")
	header.Set("Cache-Control", "no-store")
}

// fail responds to an error of a page.
func (v *visit) fail(err error) {
	if err := v.divert(err); err != nil {
		v.site.Logger.ErrorContext(v.r.Context(), "page not shown", "path", v.r.URL.Path, "error", err)
		http.Error(v.w, "Something went wrong.", http.StatusInternalServerError)
	}
}

// divert redirects people who must sign in, confirm or complete something first; other
// errors have a page.
func (v *visit) divert(err error) error {
	switch {
	case errors.Is(err, errSignedOut):
		return v.redirect(v.detour("/login"))
	case errors.Is(err, errStale):
		return v.wrong("You signed in again after this page was shown, so nothing was changed. Try again.", cmp.Or(v.pending.ReturnTo, v.here()))
	case isUnproved(err):
		v.tokens.Actions = []string{"verify_email"}
		return v.redirect("/login/required")
	case errors.Is(err, errUnfinished), isUnfinished(err):
		return v.redirect("/login/required")
	case errors.Is(err, access.ErrNotRecent):
		return v.redirect(v.detour(confirmPath))
	case v.ended(err):
		v.tokens = tokens{}
		return v.wrong("You were signed out. Please sign in again.", v.detour("/login"))
	default:
		return v.problem(err)
	}
}

// detour returns the address of a page to sign in, which leads back to the errand of this page, or
// else to the page itself.
func (v *visit) detour(by string) string {
	if v.pending.ReturnTo != "" {
		return by
	}
	return withReturn(by, v.here())
}

// ended reports whether an error means that the session has ended.
func (v *visit) ended(err error) bool {
	refused, ok := errors.AsType[*fault.Error](err)
	if !ok || v.tokens.Access == "" {
		return false
	}
	return errors.Is(err, session.ErrEnded) || refused.Code == fault.TokenInvalid || refused.Code == fault.TokenExpired
}

// here returns the address of the current page; for a form, the nearest page above its
// action.
func (v *visit) here() string {
	if v.r.Method == http.MethodGet || v.r.Method == http.MethodHead {
		return v.r.URL.RequestURI()
	}
	if code := v.form.code("user_code"); code != "" {
		return deviceAddress(code)
	}
	at := v.r.URL.Path
	shown := func(r route) bool { return r.pattern == "GET "+at }
	for at != "/" && !slices.ContainsFunc(v.site.routes(), shown) {
		at = path.Dir(at)
	}
	return at
}
