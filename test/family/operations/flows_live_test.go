package operations_test

import (
	"testing"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/test/harness"
)

const password = harness.Password

// enabled makes a flow of the instance and enables it.
func enabled(root *harness.Actor, name, trigger string, graph P) {
	root.Do("FLOW.CREATE", with(graph, P{"name": name, "trigger": trigger, "scope": "instance", "enabled": true, "force": true})).OK()
}

func TestALoginIsDenied(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	root, alice := h.Superadmin(), h.SignUp("alice@example.com")
	enabled(root, "closed", "login", denying("user.email_domain == 'example.com'"))
	who := func(password string) *harness.Reply {
		return h.Anonymous().Do("AUTH.LOGIN", P{"email": "alice@example.com", "password": password})
	}
	denied := who(password).Fails(fault.FlowBlocked)
	if f := denied.Failure.Flow; f == nil || f.Name != "closed" || f.Node != "deny" || f.Reason != "Not now." {
		t.Errorf("denied by %+v", denied.Failure.Flow)
	}
	who("wrong password").Fails(fault.Auth)
	alice.Do("USER.ME", nil).OK()
	root.Do("FLOW.DISABLE", P{"name": "closed", "scope": "instance"}).OK()
	who(password).OK()
}
