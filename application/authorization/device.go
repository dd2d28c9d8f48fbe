package authorization

import (
	"context"
	"crypto/subtle"
	"errors"
	"slices"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/label"
	"gatehouse.internal/domain/oauth"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/ports/outbound"
)

// Errors of polling devices.
var (
	errDeviceScope = fault.New(fault.Validation, "invalid_scope: the client is not granted any of the requested scopes")
)

// StartedDevice is the device authorization response.
type StartedDevice struct {
	Code secret.Shown
	// User is the code as the device shows it.
	User  secret.Shown
	Asked oauth.DeviceSnapshot
}

// DeviceParams are the parameters of a device authorization request.
type DeviceParams struct{ Scope, Resource, Nonce string }

// StartDevice starts a device authorization of an authenticated client.
func (s *Service) StartDevice(ctx context.Context, call command.Call, by outbound.Client, wish DeviceParams) (StartedDevice, error) {
	if !by.App.May(app.DeviceCode) {
		return StartedDevice{}, errGrantType
	}
	asks := oauth.DeviceRequest{AppID: by.App.ID, Resource: s.Audiences.Target(wish.Resource), Nonce: wish.Nonce, IP: call.IP, UserAgent: call.UserAgent}
	asked := oauth.Request{Scope: wish.Scope}
	_, scopes, err := s.deviceClient(ctx, by.App.Slug, asks.Resource, asked.Scopes())
	switch {
	case err != nil:
		return StartedDevice{}, err
	case len(scopes) == 0 && wish.Scope != "":
		return StartedDevice{}, errDeviceScope
	}
	id := oauth.NewDeviceID(s.IDs)
	var made StartedDevice
	made.Code, asks.Code = s.Texts.Device(id)
	asks.Scopes = scopes
	err = s.Unit.Do(ctx, func(tx Repos) error {
		user := oauth.NewUserCode(s.Random) // another one where this one is taken
		made.User, asks.User = secret.Shown(user.Shown()), s.userDigest(user)
		device := oauth.StartDevice(id, asks, s.Clock.Now())
		made.Asked = device.Snapshot()
		return tx.Devices.Save(ctx, device)
	})
	return made, err
}

// deviceClient returns a client as it is now, with those of scopes that it may have.
func (s *Service) deviceClient(ctx context.Context, slug, target string, asked []string) (outbound.Client, []string, error) {
	found, err := s.Apps.BySlug(ctx, slug, target)
	switch {
	case err != nil:
		return outbound.Client{}, nil, err
	case !s.leads(found):
		return outbound.Client{}, nil, app.ErrNotFound
	}
	if err := s.Audiences.AdmitResource(ctx, target, found.Audience, found.App); err != nil {
		return outbound.Client{}, nil, err
	}
	return found, scopesOf(found, asked, target != ""), nil
}

// userDigest returns the digest of a user code. It is keyed, because a user code is too
// short for a plain hash.
func (s *Service) userDigest(code oauth.UserCode) oauth.Digest {
	return oauth.Digest(s.Blinder.Index(label.OAuthUserCode, string(code)))
}

// PendingDevice is a pending device authorization with its client.
type PendingDevice struct {
	oauth.DeviceSnapshot

	Client outbound.Client
	// Scopes are those that the client may have now.
	Scopes []string
}

// Device returns the device that waits under a user code. It fails with oauth.ErrUserCode.
func (s *Service) Device(ctx context.Context, typed string) (PendingDevice, error) {
	code, err := oauth.ParseUserCode(typed)
	if err != nil {
		return PendingDevice{}, err
	}
	found, err := s.Devices.ByUserCode(ctx, s.userDigest(code))
	switch {
	case err != nil:
		return PendingDevice{}, err
	case !found.Waits(s.Clock.Now()):
		return PendingDevice{}, oauth.ErrUserCode
	}
	asking := PendingDevice{DeviceSnapshot: found.DeviceSnapshot}
	asking.Client, asking.Scopes, err = s.deviceClient(ctx, found.Slug, found.Resource, found.Scopes)
	if errors.Is(err, app.ErrNotFound) || unfit(err) || err == nil && asking.Client.App.ID != found.AppID {
		return PendingDevice{}, oauth.ErrUserCode
	}
	return asking, err
}

// DecideDevice takes the answer of a person to the device that waits under a user code. It
// fails with oauth.ErrUserCode, and like Decide with access.ErrNotRecent.
func (s *Service) DecideDevice(ctx context.Context, call command.Call, typed string, approve bool) error {
	caller := call.Caller
	asking, err := s.Device(ctx, typed)
	if err != nil {
		return err
	}
	if approve {
		if err := s.entitled(caller, asking.Scopes); err != nil {
			return err
		}
	}
	now, id := s.Clock.Now(), oauth.NewGrantID(s.IDs)
	to := oauth.Authorization{
		AppID: asking.AppID, UserID: caller.User, OrgID: caller.Org, SessionID: caller.Session,
		Subject: s.subjectOf(asking.Client.App, caller.User), Scopes: asking.Scopes,
		Offline: slices.Contains(asking.Scopes, oauth.OfflineAccess), AuthTime: caller.AuthTime, AMR: caller.AMR, ACR: oauth.ACROf(caller.AMR),
		Nonce: asking.Nonce,
	}
	if asking.Resource != "" {
		to.Resources = []string{asking.Resource}
	}
	if err := s.meet(ctx, call, asking.Client, &to); err != nil {
		return err
	}
	return s.Unit.Do(ctx, func(tx Repos) error {
		device, err := tx.Devices.ByID(ctx, asking.ID)
		switch {
		case errors.Is(err, oauth.ErrDeviceCode):
			return oauth.ErrUserCode
		case err != nil:
			return err
		case !approve:
			if err := device.Deny(caller.User, caller.Org, now); err != nil {
				return err
			}
			return tx.Devices.Save(ctx, device)
		}
		return letIn(ctx, tx, device, oauth.IssueToDevice(id, to, asking.Code, asking.ExpiresAt, now), now)
	})
}

// letIn approves a device, and stores the consent and the grant that it redeems.
func letIn(ctx context.Context, tx Repos, device *oauth.Device, by *oauth.Grant, now time.Time) error {
	to := by.Snapshot().Authorization
	if err := device.Approve(by.ID(), to, now); err != nil {
		return err
	}
	if err := agree(ctx, tx, to, to.Scopes, now); err != nil {
		return err
	}
	if err := tx.Devices.Save(ctx, device); err != nil {
		return err
	}
	return tx.Grants.Save(ctx, by)
}

// redeemDevice returns the tokens for a device code, once its person let the device in.
func (s *Service) redeemDevice(ctx context.Context, call command.Call, by app.Snapshot, r Redemption) (Tokens, error) {
	id, digest, err := s.Texts.ReadDevice(r.Device)
	switch {
	case !by.May(app.DeviceCode):
		return Tokens{}, errGrantType
	case err != nil:
		return Tokens{}, err
	}
	var grant oauth.GrantID
	var waits error
	err = s.Unit.Do(ctx, func(tx Repos) error {
		device, err := tx.Devices.ByID(ctx, id)
		if err != nil {
			return err
		}
		asked := device.Snapshot()
		if asked.AppID != by.ID || subtle.ConstantTimeCompare([]byte(asked.Code), []byte(digest)) != 1 {
			return oauth.ErrDeviceCode
		}
		grant = asked.GrantID
		waits = device.Poll(s.Clock.Now())
		if errors.Is(waits, oauth.ErrPending) || errors.Is(waits, oauth.ErrSlowDown) {
			return tx.Devices.Save(ctx, device)
		}
		return nil
	})
	switch {
	case err != nil:
		return Tokens{}, err
	case waits != nil:
		return Tokens{}, waits
	}
	return s.redeem(ctx, call, app.DeviceCode, grant, redemption{by: by, digest: digest, Redemption: r})
}
