package token

import (
	"gatehouse.internal/domain/label"
	"gatehouse.internal/domain/mac"
	"gatehouse.internal/domain/oauth"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/ports/outbound"
)

// Grants creates and verifies the credentials of grants: codes (oac_), device codes
// (odc_) and refresh tokens (ort_), in the same way as those of sessions (Refresh).
type Grants struct {
	Key    mac.Key
	Random outbound.Random
}

// Code returns a fresh authorization code and its digest.
func (g *Grants) Code(of oauth.GrantID) (secret.Shown, oauth.Digest) {
	text, digest := g.codes().make(of.String(), g.Random)
	return text, oauth.Digest(digest)
}

// Refresh returns a fresh refresh token and its digest.
func (g *Grants) Refresh(of oauth.GrantID) (secret.Shown, oauth.Digest) {
	text, digest := g.refreshes().make(of.String(), g.Random)
	return text, oauth.Digest(digest)
}

// Successor returns the token that replaces the one of a digest, as that of a session.
func (g *Grants) Successor(of oauth.GrantID, replaced oauth.Digest) (secret.Shown, oauth.Digest) {
	text, digest := g.refreshes().successor(of.String(), string(replaced))
	return text, oauth.Digest(digest)
}

// ReadCode takes a code apart. It fails with oauth.ErrCode when this service never made it.
func (g *Grants) ReadCode(presented secret.String) (oauth.GrantID, oauth.Digest, error) {
	return read(g.codes(), presented, oauth.ErrCode)
}

// ReadRefresh takes a refresh token apart. It fails with oauth.ErrRefresh when this service
// never made it.
func (g *Grants) ReadRefresh(presented secret.String) (oauth.GrantID, oauth.Digest, error) {
	return read(g.refreshes(), presented, oauth.ErrRefresh)
}

// Device returns a fresh device code and its digest.
func (g *Grants) Device(of oauth.DeviceID) (secret.Shown, oauth.Digest) {
	text, digest := g.devices().make(of.String(), g.Random)
	return text, oauth.Digest(digest)
}

// ReadDevice takes a device code apart. It fails with oauth.ErrDeviceCode when this service
// never made it.
func (g *Grants) ReadDevice(presented secret.String) (oauth.DeviceID, oauth.Digest, error) {
	text, digest, ok := g.devices().read(presented)
	of, err := oauth.ParseDeviceID(text)
	if !ok || err != nil {
		return "", "", oauth.ErrDeviceCode
	}
	return of, oauth.Digest(digest), nil
}

func read(by opaque, presented secret.String, refused error) (oauth.GrantID, oauth.Digest, error) {
	text, digest, ok := by.read(presented)
	of, err := oauth.ParseGrantID(text)
	if !ok || err != nil {
		return "", "", refused
	}
	return of, oauth.Digest(digest), nil
}

func (g *Grants) codes() opaque { return opaque{prefix: "oac_", label: label.OAuthCode, key: g.Key} }

func (g *Grants) refreshes() opaque {
	return opaque{prefix: "ort_", label: label.OAuthRefresh, succeeding: label.OAuthSuccessor, key: g.Key}
}

func (g *Grants) devices() opaque {
	return opaque{prefix: "odc_", label: label.OAuthDevice, key: g.Key}
}
