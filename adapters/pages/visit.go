package pages

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"slices"

	"github.com/go-json-experiment/json"

	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/ports/inbound"
)

// visit is one request of a browser.
type visit struct {
	site *Site
	w    http.ResponseWriter
	r    *http.Request

	tokens, tokensBefore tokens
	state, stateBefore   state
	form                 form
	// looks is the look of the page, once it was asked for.
	looks *look
	// frames lets the page show another one of ours within itself.
	frames bool
	// paddled lets the page run Paddle.js.
	paddled bool
	// status is that of the answer; 0 means 200.
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
	return v
}

// params are those of a command; what is empty is left out.
type params map[string]any

func (p params) text(name, value string) params {
	if value != "" {
		p[name] = value
	}
	return p
}

// ask executes a command for somebody who is not logged in.
func (v *visit) ask(command string, p params, into any) error {
	reply, err := v.execute(command, p, "")
	if err != nil {
		return err
	}
	return taken(reply, into)
}

// call executes a command for the person who is logged in. It fails with
// session.ErrEnded when they no longer are.
func (v *visit) call(command string, p params, into any) error {
	raw, err := encoded(command, p)
	if err != nil {
		return err
	}
	reply, err := v.asHolder(inbound.Request{Command: command, Params: raw})
	if err != nil {
		return err
	}
	return taken(reply, into)
}

// asHolder executes a command for the person who is logged in, with another token where
// theirs has expired. It fails with session.ErrEnded when they no longer are.
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

// execute executes a command. It fails with errForm when a parameter is no text.
func (v *visit) execute(command string, p params, bearer string) (inbound.Reply, error) {
	raw, err := encoded(command, p)
	if err != nil {
		return inbound.Reply{}, err
	}
	return v.send(inbound.Request{Command: command, Params: raw}, bearer), nil
}

// encoded are parameters as JSON. It fails with errForm when one is no text.
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

// send executes a command of this browser.
func (v *visit) send(asked inbound.Request, bearer string) inbound.Reply {
	request := v.site.Origin(v.w, v.r)
	request.Command, request.Params, request.DryRun = asked.Command, asked.Params, asked.DryRun
	if bearer != "" {
		request.Authorization = "Bearer " + bearer
	}
	return v.site.Commands.Execute(v.r.Context(), request)
}

func taken(reply inbound.Reply, into any) error {
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

// refresh changes the tokens for new ones. Of several tabs that do so at once, all
// get the same (contract section 3).
func (v *visit) refresh() error {
	var pair outcome
	err := v.ask("AUTH.REFRESH", params{"refresh_token": v.tokens.Refresh}, &pair)
	if refused, ok := errors.AsType[*fault.Error](err); ok && refused.Code == fault.Auth {
		return session.ErrEnded
	}
	if err != nil {
		return err
	}
	v.tokens.Access, v.tokens.Refresh = pair.AccessToken, pair.RefreshToken
	return nil
}

// redirect sends the browser to another page, which it gets with GET.
func (v *visit) redirect(to string) error {
	if err := v.save(); err != nil {
		return err
	}
	v.headers()
	http.Redirect(v.w, v.r, to, http.StatusSeeOther) //nolint:gosec // what a browser sends is a target only through local
	return nil
}

// done redirects to a page that says what was done.
func (v *visit) done(said, to string) error {
	v.state.Done = said
	return v.redirect(to)
}

// wrong redirects to a page that says what went wrong.
func (v *visit) wrong(said, to string) error {
	v.state.Wrong = said
	return v.redirect(to)
}

// headers are those of pages, over the ones that every answer has. A form sends
// its origin only where the policy of referrers lets it.
func (v *visit) headers() {
	header := v.w.Header()
	header.Set("Content-Security-Policy", contentPolicy("", "", false))
	header.Set("Referrer-Policy", "same-origin")
	header.Set("Cross-Origin-Opener-Policy", "same-origin")
	if v.paddled {
		// Paddle looks at the site that it is shown on, and opens windows of banks.
		header.Set("Referrer-Policy", "strict-origin-when-cross-origin")
		header.Set("Cross-Origin-Opener-Policy", "same-origin-allow-popups")
	}
	header.Set("Permissions-Policy", "publickey-credentials-get=(self), publickey-credentials-create=(self)")
	header.Set("Cache-Control", "no-store")
}

// fail answers what a page did not.
func (v *visit) fail(err error) {
	if err := v.divert(err); err != nil {
		v.site.Logger.ErrorContext(v.r.Context(), "page not shown", "path", v.r.URL.Path, "error", err)
		http.Error(v.w, "Something went wrong.", http.StatusInternalServerError)
	}
}

// divert leads somebody who may not go on to where they can.
func (v *visit) divert(err error) error {
	switch {
	case errors.Is(err, errStranger):
		return v.redirect("/login?return_to=" + url.QueryEscape(v.here()))
	case isUnproved(err):
		v.tokens.Actions = []string{"verify_email"}
		return v.redirect("/login/required")
	case errors.Is(err, errUnfinished), isUnfinished(err):
		return v.redirect("/login/required")
	case errors.Is(err, access.ErrNotRecent):
		return v.redirect("/account/confirm?return_to=" + url.QueryEscape(v.here()))
	case v.ended(err):
		v.tokens = tokens{}
		return v.wrong("You were signed out. Please sign in again.", "/login?return_to="+url.QueryEscape(v.here()))
	default:
		return v.problem(err)
	}
}

// ended reports whether an error says that the session is over.
func (v *visit) ended(err error) bool {
	refused, ok := errors.AsType[*fault.Error](err)
	if !ok || v.tokens.Access == "" {
		return false
	}
	return errors.Is(err, session.ErrEnded) || refused.Code == fault.TokenInvalid || refused.Code == fault.TokenExpired
}

// here returns the page that somebody is on. Who sent a form is on the nearest page above
// what it is sent to.
func (v *visit) here() string {
	if v.r.Method == http.MethodGet || v.r.Method == http.MethodHead {
		return v.r.URL.RequestURI()
	}
	at := v.r.URL.Path
	shown := func(r route) bool { return r.pattern == "GET "+at }
	for at != "/" && !slices.ContainsFunc(v.site.routes(), shown) {
		at = path.Dir(at)
	}
	return at
}
