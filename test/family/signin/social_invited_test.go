package signin_test

import (
	"testing"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/invitation"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/test/fake/upstream"
)

// The first login by an invitation makes an account although registration is closed, for
// the address that it was mailed to alone.
func TestFirstLoginByInvitation(t *testing.T) {
	t.Parallel()
	socialOnEachStore(t, func(t *testing.T, here, there *world) {
		host, other := here.SignUpVerified("host@example.com"), here.SignUpVerified("other@example.com")
		host.Do("TEAM.INVITE", P{"email": ada, "role": "member"}).OK()
		token := here.LastMail(ada).Token()
		root := here.Superadmin()
		root.Do("SETTINGS.SET", P{"values": P{"public_registration": false}}).OK()
		by := func(token string) string {
			begun := here.begin(here.Anonymous(), "google", P{"invitation_token": token}).OK()
			return here.Browser().Open(begun.String("url")).Get("code")
		}
		here.begin(here.Anonymous(), "google", P{"invitation_token": "nothing"}).Fails(fault.Auth)
		host.Do("SOCIAL.AUTH_URL", P{"provider": "google", "redirect_uri": page, "link": true, "invitation_token": token}).
			Fails(fault.Validation).Field("/invitation_token")
		people := here.count(user.KindCreated)

		here.up["google"].Be(upstream.Person{ID: "1", Email: "eve@example.com", Verified: true, Name: "Eve"})
		there.finish("google", by(token)).Fails(fault.Denied)
		here.up["google"].Be(upstream.Person{ID: "2", Email: ada, Name: "Ada"})
		there.finish("google", by(token)).Fails(fault.Auth) // Nobody vouches for the address.
		here.up["google"].Be(upstream.Person{ID: "2", Email: ada, Verified: true, Name: "Ada"})
		there.login("google").Fails(fault.Denied)
		root.Do("SOCIAL.PROVIDER_SET", P{"provider": "google", "allow_signup": false}).OK()
		there.finish("google", by(token)).Fails(fault.Denied)
		root.Do("SOCIAL.PROVIDER_SET", P{"provider": "google", "allow_signup": true}).OK()
		if got := here.count(user.KindCreated); got != people {
			t.Fatalf("%d accounts were made of refused logins", got-people)
		}
		who := here.actor(there.finish("google", by(token)))
		if events := here.Events(invitation.KindAccepted); len(events) != 1 || events[0].UserID != who.UserID || events[0].Origin.Command != "SOCIAL.CALLBACK" {
			t.Errorf("told %v", events)
		}
		if got := host.Do("TEAM.LIST_MEMBERS", nil).OK().List("items"); len(got) != 2 {
			t.Errorf("%d belong to the workspace", len(got))
		}
		here.begin(here.Anonymous(), "google", P{"invitation_token": token}).Fails(fault.Auth)

		// Who has an account joins; whose account the invitation is not for is let in.
		other.Do("TEAM.INVITE", P{"email": ada, "role": "member"}).OK()
		other.Do("TEAM.INVITE", P{"email": "bob@example.com", "role": "member"}).OK()
		there.finish("google", by(here.LastMail("bob@example.com").Token())).OK()
		there.finish("google", by(here.LastMail(ada).Token())).OK()
		if got := other.Do("TEAM.LIST_MEMBERS", nil).OK().List("items"); len(got) != 2 {
			t.Errorf("%d belong to the other workspace", len(got))
		}
	})
}
