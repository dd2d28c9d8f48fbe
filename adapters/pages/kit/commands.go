package kit

import (
	"context"
	"errors"

	"gatehouse.internal/adapters/client"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/ports/inbound"
)

// transport executes the commands of a client in this process.
type transport func(inbound.Request) (inbound.Reply, error)

// Execute runs a command on behalf of the browser, whose request has the context.
func (t transport) Execute(_ context.Context, command string, params []byte) ([]byte, error) {
	reply, err := t(inbound.Request{Command: command, Params: params})
	if err != nil {
		return nil, err
	}
	if reply.Failure != nil {
		return nil, reply.Failure
	}
	return reply.Data, nil
}

// Context returns the context of the request.
func (v *Visit) Context() context.Context { return v.Request.Context() }

// Me calls commands as the signed-in person. They fail with session.ErrEnded if the session
// has ended.
func (v *Visit) Me() client.Client { return client.Client{Transport: transport(v.AsHolder)} }

// Anyone calls commands without credentials.
func (v *Visit) Anyone() client.Client { return client.Client{Transport: transport(v.withoutTokens)} }

// MeOrAnyone calls commands as the signed-in person, or without credentials if the session has
// ended.
func (v *Visit) MeOrAnyone() client.Client {
	return client.Client{Transport: transport(func(request inbound.Request) (inbound.Reply, error) {
		reply, err := v.AsHolder(request)
		if err == nil && reply.Failure != nil {
			err = reply.Failure
		}
		if errors.Is(err, session.ErrEnded) || RefusedAs(err, fault.Auth, fault.TokenInvalid) {
			v.Tokens = Tokens{}
			return v.withoutTokens(request)
		}
		return reply, err
	})}
}

// Trial calls commands as the signed-in person, and rolls back what they do.
func (v *Visit) Trial() client.Client {
	return client.Client{Transport: transport(func(request inbound.Request) (inbound.Reply, error) {
		request.DryRun = true
		return v.AsHolder(request)
	})}
}

func (v *Visit) withoutTokens(request inbound.Request) (inbound.Reply, error) {
	return v.Send(request, ""), nil
}

// Org returns the workspace that a form was shown for, in which its commands act; nil stands for
// the active one.
func (v *Visit) Org() *string { return client.Given(v.Form.Text("org_id")) }

// Params are parameters as they were typed into a form, where the command reports what is wrong
// with them. All others have types.
type Params map[string]any

// Text adds a text unless it is empty.
func (p Params) Text(name, value string) Params {
	if value != "" {
		p[name] = value
	}
	return p
}

// Act executes a command with parameters as typed, in the workspace of the form.
func (v *Visit) Act(command string, p Params, into any) error {
	return v.Me().Do(v.Context(), command, p.Text("org_id", v.Form.Text("org_id")), into)
}
