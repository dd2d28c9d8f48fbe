package passkey

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"

	"gatehouse.internal/domain/passkey"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/signin"
)

// challengeSize is how many random bytes are signed.
const challengeSize = 32

// RelyingParty is who asks for passkeys.
type RelyingParty struct {
	// ID is the domain that passkeys are bound to.
	ID string
	// Origins are the places whose pages may use them, and Android apps.
	Origins []string
	// Life is how long a ceremony may take; browsers are told.
	Life time.Duration
}

// PageOrigins returns the origins of pages.
func (p RelyingParty) PageOrigins() []string {
	return slices.DeleteFunc(slices.Clone(p.Origins), func(origin string) bool { return strings.HasPrefix(origin, "android:") })
}

// ValidID reports whether passkeys can be bound to a domain.
func ValidID(domain string) bool {
	return protocol.ValidateRPID(domain) == nil && (domain == "localhost" || strings.Contains(domain, "."))
}

// Ceremonies implements signin.Ceremonies.
type Ceremonies struct {
	library *webauthn.WebAuthn
	origins []string
	random  outbound.Random
}

// New makes the ceremonies of a relying party; it fails when the party makes no sense.
func New(of RelyingParty, random outbound.Random) (*Ceremonies, error) {
	lasts := webauthn.TimeoutConfig{Timeout: of.Life, TimeoutUVD: of.Life}
	library, err := webauthn.New(&webauthn.Config{
		RPID: of.ID, RPDisplayName: of.ID, RPOrigins: of.Origins,
		AttestationPreference:             protocol.PreferNoAttestation,
		Timeouts:                          webauthn.TimeoutsConfig{Login: lasts, Registration: lasts},
		ExtensionsUnsolicitedOutputPolicy: protocol.UnsolicitedOutputPolicyIgnore,
	})
	if err != nil {
		return nil, fmt.Errorf("prepare passkeys: %w", err)
	}
	return &Ceremonies{library: library, origins: of.Origins, random: random}, nil
}

// Create begins a registration.
func (c *Ceremonies) Create(of signin.PasskeyCreation) (signin.Ceremony, error) {
	who := person{handle: of.Owner, name: of.Name, displayName: of.DisplayName}
	creation, session, err := c.library.BeginRegistration(who,
		func(o *protocol.PublicKeyCredentialCreationOptions) error {
			o.Challenge = c.random.Bytes(challengeSize)
			return nil
		},
		webauthn.WithExclusions(descriptors(of.Held)),
		webauthn.WithAuthenticatorSelection(protocol.AuthenticatorSelection{UserVerification: verification(of.Verified)}),
		webauthn.WithResidentKeyRequirement(residence(of.Verified)),
		webauthn.WithExtensions(webauthn.WithExtensionCredProps()),
	)
	if err != nil {
		return signin.Ceremony{}, fmt.Errorf("begin a registration: %w", err)
	}
	made, err := begun(creation.Response, session)
	if err != nil {
		return made, err
	}
	if made.State, err = json.Marshal(session); err != nil {
		return signin.Ceremony{}, fmt.Errorf("write the state of a ceremony: %w", err)
	}
	return made, nil
}

// Request begins a login. Of one without an owner it names no credentials.
func (c *Ceremonies) Request(of signin.PasskeyRequest) (signin.Ceremony, error) {
	assertion, session, err := c.library.BeginDiscoverableLogin(
		webauthn.WithChallenge(c.random.Bytes(challengeSize)),
		webauthn.WithUserVerification(verification(of.Verified)),
	)
	if err != nil {
		return signin.Ceremony{}, fmt.Errorf("begin a login: %w", err)
	}
	if of.Owner != "" {
		assertion.Response.AllowedCredentials = descriptors(of.Held)
	}
	return begun(assertion.Response, session)
}

func begun(options any, session *webauthn.SessionData) (signin.Ceremony, error) {
	written, err := json.Marshal(options)
	if err != nil {
		return signin.Ceremony{}, fmt.Errorf("write the options of a ceremony: %w", err)
	}
	return signin.Ceremony{Options: written, Challenge: session.Challenge}, nil
}

func verification(required bool) protocol.UserVerificationRequirement {
	if required {
		return protocol.VerificationRequired
	}
	return protocol.VerificationPreferred
}

// residence is whether the browser must find the passkey by itself: one that stands
// alone is offered in no other way.
func residence(alone bool) protocol.ResidentKeyRequirement {
	if alone {
		return protocol.ResidentKeyRequirementRequired
	}
	return protocol.ResidentKeyRequirementPreferred
}

func descriptors(of []passkey.Snapshot) []protocol.CredentialDescriptor {
	all := make([]protocol.CredentialDescriptor, 0, len(of))
	for _, one := range of {
		if credential, err := credentialOf(one); err == nil {
			all = append(all, credential.Descriptor())
		}
	}
	return all
}

// person is a user as the library wants one.
type person struct {
	handle            user.ID
	name, displayName string
	credentials       []webauthn.Credential
}

func (p person) WebAuthnID() []byte                         { return []byte(p.handle) }
func (p person) WebAuthnName() string                       { return p.name }
func (p person) WebAuthnDisplayName() string                { return p.displayName }
func (p person) WebAuthnCredentials() []webauthn.Credential { return slices.Clone(p.credentials) }
