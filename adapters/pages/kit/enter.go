package kit

import (
	"cmp"
	"errors"
	"slices"

	"gatehouse.internal/adapters/client"
	"gatehouse.internal/domain/challenge"
	"gatehouse.internal/domain/fault"
)

// EnterWorkspace switches to a workspace that the person has just joined. If its sign-in
// rules ask for more, they go on in the workspace they are in.
func (v *Visit) EnterWorkspace(org, to string) error {
	err := v.SwitchTo(org, to)
	if _, refused := errors.AsType[*fault.Error](err); refused {
		return v.Redirect(to)
	}
	return err
}

// SwitchTo switches to a workspace and continues at an address, after a second factor if
// required.
func (v *Visit) SwitchTo(org, to string) error {
	switched, err := v.Me().TeamSwitch(v.Context(), client.TeamSwitchParams{OrgID: org})
	if err != nil {
		return err
	}
	o := Outcome(switched)
	if o.MFARequired {
		v.Pending.Challenge, v.Pending.Methods, v.Pending.Switching, v.Pending.ReturnTo = o.ChallengeToken, o.Methods, true, to
		return v.Redirect("/login/factor")
	}
	if len(o.RequiredActions) > 0 {
		return v.Entered(o)
	}
	v.Tokens = Tokens{Access: o.AccessToken, Refresh: o.RefreshToken}
	if h := v.holder(); h != nil && v.State.Done == "" {
		v.State.Done = "You are now in " + h.Workspace + "."
	}
	return v.Redirect(to)
}

// Entered continues after a login: with the second factor, required actions, or the
// return target.
func (v *Visit) Entered(o Outcome) error {
	switch {
	case o.MFARequired:
		v.Pending.Challenge, v.Pending.Methods, v.Pending.Switching = o.ChallengeToken, o.Methods, false
		return v.Redirect("/login/factor")
	case len(o.RequiredActions) > 0:
		v.RememberErrand()
		v.Pending.Challenge, v.Pending.Methods = "", nil
		v.Tokens = Tokens{Access: o.ChallengeToken, Actions: o.RequiredActions}
		return v.Redirect("/login/required")
	default:
		v.Accept(o)
		return v.Leave()
	}
}

// Accept stores the tokens of a login, and drops what was pending but the Errand.
func (v *Visit) Accept(o Outcome) {
	v.Tokens = Tokens{Access: o.AccessToken, Refresh: o.RefreshToken}
	v.State = State{ID: v.State.ID, Done: v.State.Done, Wrong: v.State.Wrong}
	v.Pending = Pending{Errand: v.Pending.Errand}
}

// Leave redirects to the return target, in the workspace whose invitation the sign-in
// has accepted.
func (v *Visit) Leave() error {
	to, org := cmp.Or(v.Pending.ReturnTo, Account), v.Pending.Org
	joined := v.Pending.Guest
	v.Pending = Pending{}
	if joined {
		return v.EnterWorkspace(org, to)
	}
	return v.Redirect(to)
}

// Gone reports whether a challenge has ended, so that the login must start again.
func Gone(err error) bool { return errors.Is(err, challenge.ErrGone) }

// Fulfilled continues with the next required action, or with the login.
func (v *Visit) Fulfilled(action client.AuthRequiredAction) error {
	v.Tokens.Actions = slices.DeleteFunc(slices.Clone(v.Tokens.Actions), func(a client.AuthRequiredAction) bool { return a == action })
	if len(v.Tokens.Actions) > 0 {
		return v.Redirect("/login/required")
	}
	v.Tokens = Tokens{}
	return v.Done("All set. Sign in again.", "/login")
}
