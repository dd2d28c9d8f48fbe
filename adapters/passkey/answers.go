package passkey

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"
	"github.com/google/uuid"

	"gatehouse.internal/domain/passkey"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/ports/outbound/signin"
)

// Created reads what a browser made.
func (c *Ceremonies) Created(credential []byte) (signin.CreatedPasskey, error) {
	parsed, err := protocol.ParseCredentialCreationResponseBytes(credential)
	if err != nil {
		return nil, passkey.ErrMalformed.Because(err)
	}
	if err := bounded(&parsed.Response.AttestationObject); err != nil {
		return nil, passkey.ErrMalformed.Because(err)
	}
	return registrationAnswer{c.library, c.origins, parsed}, nil
}

type registrationAnswer struct {
	library *webauthn.WebAuthn
	origins []string
	parsed  *protocol.ParsedCredentialCreationData
}

func (c registrationAnswer) Challenge() string {
	return c.parsed.Response.CollectedClientData.Challenge
}

func (c registrationAnswer) CredentialID() string { return encode(c.parsed.RawID) }

// Verify judges the attestation (Web Authentication section 7.1).
func (c registrationAnswer) Verify(state []byte, owner user.ID) (passkey.Record, error) {
	var session webauthn.SessionData
	if err := json.Unmarshal(state, &session); err != nil {
		return passkey.Record{}, fmt.Errorf("read the state of a ceremony: %w", err)
	}
	made, err := c.library.CreateCredential(person{handle: owner}, session, c.parsed)
	if err == nil {
		err = knownOrigin(c.parsed.Response.CollectedClientData, c.origins)
	}
	if err != nil {
		return passkey.Record{}, passkey.ErrUnverified.Because(err)
	}
	model, err := uuid.FromBytes(made.Authenticator.AAGUID)
	if err != nil {
		return passkey.Record{}, passkey.ErrUnverified.Because(err)
	}
	rk := made.Extensions.RK
	return passkey.Record{
		Undiscoverable: rk != nil && !*rk,
		PublicKey:      made.PublicKey, SignCount: made.Authenticator.SignCount,
		BackupEligible: made.Flags.BackupEligible, BackedUp: made.Flags.BackupState, UserVerified: made.Flags.UserVerified,
		AAGUID: model.String(), Transports: transports(made.Transport), Attachment: string(made.Authenticator.Attachment),
		Format: made.AttestationFormat, Attestation: made.Attestation.Object, ClientData: made.Attestation.ClientDataJSON,
	}, nil
}

// transports keeps the ways that are known (Web Authentication section 5.8.4): what a
// browser says of them is not signed.
func transports(claimed []protocol.AuthenticatorTransport) []string {
	var kept []string
	for _, one := range claimed {
		switch one {
		case protocol.USB, protocol.NFC, protocol.BLE, protocol.SmartCard, protocol.Hybrid, protocol.Internal:
			kept = append(kept, string(one))
		}
	}
	return kept
}

// Asserted reads what a browser signed.
func (c *Ceremonies) Asserted(credential []byte) (signin.PasskeyAssertion, error) {
	parsed, err := protocol.ParseCredentialRequestResponseBytes(credential)
	if err != nil {
		return nil, passkey.ErrMalformed.Because(err)
	}
	return assertionAnswer{c.library, c.origins, parsed}, nil
}

type assertionAnswer struct {
	library *webauthn.WebAuthn
	origins []string
	parsed  *protocol.ParsedCredentialAssertionData
}

func (a assertionAnswer) Challenge() string { return a.parsed.Response.CollectedClientData.Challenge }

func (a assertionAnswer) CredentialID() string { return encode(a.parsed.RawID) }

func (a assertionAnswer) Owner() user.ID {
	owner, err := user.ParseID(string(a.parsed.Response.UserHandle))
	if err != nil {
		return ""
	}
	return owner
}

// Verify judges the signature (Web Authentication section 7.2), but not who was
// asked, and whether for verification. Whether the counter may be is the passkey's
// own to judge. It fails with passkey.ErrChanged where nothing is wrong but that the
// authenticator reports another backup eligibility than before, which never changes
// (section 6.1.3): only the holder of the key learns that.
func (a assertionAnswer) Verify(by passkey.Snapshot) (passkey.Use, error) {
	credential, err := credentialOf(by)
	if err != nil {
		return passkey.Use{}, err
	}
	owner := person{handle: by.Handle(), credentials: []webauthn.Credential{credential}}
	session := webauthn.SessionData{Challenge: a.Challenge(), UserID: owner.WebAuthnID()}
	data := a.parsed.Response.AuthenticatorData
	changed := data.Flags.HasBackupEligible() != credential.Flags.BackupEligible
	owner.credentials[0].Flags.BackupEligible = data.Flags.HasBackupEligible()
	if _, err := a.library.ValidateLogin(owner, session, a.parsed); err != nil {
		return passkey.Use{}, passkey.ErrRefused.Because(err)
	}
	if err := knownOrigin(a.parsed.Response.CollectedClientData, a.origins); err != nil {
		return passkey.Use{}, passkey.ErrRefused.Because(err)
	}
	if changed {
		return passkey.Use{}, passkey.ErrChanged
	}
	return passkey.Use{SignCount: data.Counter, BackedUp: data.Flags.HasBackupState(), UserVerified: data.Flags.HasUserVerified()}, nil
}

// credentialOf returns a passkey as the library knows it.
func credentialOf(s passkey.Snapshot) (webauthn.Credential, error) {
	raw, err := base64.RawURLEncoding.DecodeString(s.CredentialID)
	if err != nil {
		return webauthn.Credential{}, fmt.Errorf("read the id of the passkey %s: %w", s.ID, err)
	}
	model, err := uuid.Parse(s.Record.AAGUID)
	if err != nil {
		return webauthn.Credential{}, fmt.Errorf("read the model of the passkey %s: %w", s.ID, err)
	}
	credential := webauthn.Credential{
		ID: raw, PublicKey: s.Record.PublicKey, AttestationFormat: s.Record.Format,
		Flags: webauthn.CredentialFlags{
			UserPresent: true, UserVerified: s.Record.UserVerified,
			BackupEligible: s.Record.BackupEligible, BackupState: s.Record.BackedUp,
		},
		Authenticator: webauthn.Authenticator{AAGUID: model[:], SignCount: s.Record.SignCount},
	}
	for _, one := range s.Record.Transports {
		credential.Transport = append(credential.Transport, protocol.AuthenticatorTransport(one))
	}
	return credential, nil
}

func encode(raw []byte) string { return base64.RawURLEncoding.EncodeToString(raw) }

// knownOrigin fails unless the page of a ceremony is of an origin of the relying party.
// They are compared as strings (Web Authentication section 7.2 step 13): the library
// compares hosts without case and adds ports, which no browser does.
func knownOrigin(signed protocol.CollectedClientData, origins []string) error {
	if !slices.Contains(origins, signed.Origin) {
		return fmt.Errorf("origin %q is not allowed for the relying party", signed.Origin)
	}
	return nil
}
