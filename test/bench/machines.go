package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

const (
	// appCount is how many apps an instance has.
	appCount = 100
	// machineScope is what apps ask for: a resource server's own, no permission here.
	machineScope = "orders:read"
)

// registered is an app as its operator knows it.
type registered struct{ id, slug, secret string }

// enroll serves for as long as it takes to register apps, then stores tokens of theirs.
func (i *instance) enroll(ctx context.Context, sample int) error {
	var err error
	if i.process, err = i.serve(ctx); err != nil {
		return err
	}
	if err = i.login(ctx); err == nil {
		err = i.register(ctx)
	}
	i.stop()
	if err != nil {
		return err
	}
	return i.storeTokens(ctx, sample)
}

func (i *instance) register(ctx context.Context) error {
	i.apps = make([]registered, appCount)
	return i.together(ctx, appCount, func(c *conversation, k int) error {
		slug := fmt.Sprintf("bench-%d", k)
		body, err := demand(c, post(nil, i.admin, fmt.Sprintf(
			`{"command":"APP.REGISTER","params":{"name":"Bench %d","slug":%q,"scopes":[%q]}}`, k, slug, machineScope)))
		if err != nil {
			return fmt.Errorf("register an app: %w", err)
		}
		id, err := field(body, "id")
		if err != nil {
			return err
		}
		secret, err := field(body, "api_key")
		i.apps[k] = registered{id, slug, secret}
		return err
	})
}

// useSecrets has each app get a token. That its secret was used is written down
// once a minute: a short measurement is not to be made of first uses.
func useSecrets(ctx context.Context, c *contest) error {
	return c.i.together(ctx, len(c.i.apps), func(on *conversation, k int) error {
		_, err := demand(on, post(nil, "", c.i.tokenBody(k)))
		return err
	})
}

// useKeys uses an API key of each sampled session's user, for the same reason.
func useKeys(ctx context.Context, c *contest) error {
	if err := c.i.mintKeys(ctx); err != nil {
		return err
	}
	return c.i.together(ctx, len(c.i.keys), func(on *conversation, k int) error {
		_, err := demand(on, post(nil, c.i.keys[k], `{"command":"USER.ME"}`))
		return err
	})
}

// mintKeys returns them the keys, once.
func (i *instance) mintKeys(ctx context.Context) error {
	if i.keys != nil {
		return nil
	}
	keys := make([]string, len(i.sessions))
	err := i.together(ctx, len(keys), func(c *conversation, k int) error {
		// The login may be longer ago than a new key takes.
		body, err := demand(c, post(nil, i.sessions[k].access, `{"command":"AUTH.REAUTHENTICATE","params":{"password":"`+memberPassword+`"}}`))
		if err != nil {
			return fmt.Errorf("confirm a login: %w", err)
		}
		if err := i.sessions[k].renewed(200, body); err != nil {
			return err
		}
		body, err = demand(c, post(nil, i.sessions[k].access,
			`{"command":"API_KEY.CREATE","params":{"name":"Bench","scopes":["users:read"]}}`))
		if err != nil {
			return fmt.Errorf("make an API key: %w", err)
		}
		keys[k], err = field(body, "key")
		return err
	})
	if err == nil {
		i.keys = keys
	}
	return err
}

// bindTokens returns each connection a token that is bound to a key of its own.
func bindTokens(ctx context.Context, c *contest) error {
	i, have := c.i, len(c.i.holders)
	if have >= c.connections {
		return nil
	}
	more := make([]*holder, c.connections-have)
	err := i.together(ctx, len(more), func(c *conversation, k int) error {
		h := newHolder(i.issuer + executePath)
		body, err := demand(c, postProved(nil, "", h.proof(), i.tokenBody(have+k)))
		if err != nil {
			return fmt.Errorf("get a bound token: %w", err)
		}
		token, err := field(body, "access_token")
		h.bind(token)
		more[k] = h
		return err
	})
	if err == nil {
		i.holders = append(i.holders, more...)
	}
	return err
}

// tokenBody is the call by which an app gets a token.
func (i *instance) tokenBody(number int) string {
	of := i.apps[number%len(i.apps)]
	return fmt.Sprintf(`{"command":"M2M.TOKEN","params":{"client_id":%q,"client_secret":%q,"scopes":[%q]}}`,
		of.slug, of.secret, machineScope)
}

// together does something for each of n numbers, over a few connections.
func (i *instance) together(ctx context.Context, n int, do func(c *conversation, number int) error) error {
	const connections = 8
	failures := make([]error, connections)
	var working sync.WaitGroup
	for k := range connections {
		working.Go(func() {
			c, err := dial(ctx, i.address)
			if err != nil {
				failures[k] = err
				return
			}
			defer c.close()
			for number := k; number < n && failures[k] == nil; number += connections {
				failures[k] = do(c, number)
			}
		})
	}
	working.Wait()
	return errors.Join(failures...)
}

// demand sends a request that must be answered with 200, and returns the body.
func demand(c *conversation, request []byte) ([]byte, error) {
	status, body, err := c.ask(request)
	if err == nil {
		err = expect(200, status, body)
	}
	return body, err
}
