package redirect_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"gatehouse.internal/application/signin/redirect"
	"gatehouse.internal/domain/fault"
)

// apps answers for all addresses alike.
type apps struct {
	registered bool
	err        error
	asked      []string
}

func (a *apps) Registered(_ context.Context, address string, _ time.Time) (bool, error) {
	a.asked = append(a.asked, address)
	return a.registered, a.err
}

type still struct{}

func (still) Now() time.Time { return time.Time{} }

func TestCheck(t *testing.T) {
	t.Parallel()
	listed := []string{"https://app.example/cb", "com.example.app:/cb"}
	check := func(of *apps, address redirect.URI) error {
		return redirect.Registered{Listed: listed, Apps: of, Clock: still{}}.Check(t.Context(), "/redirect_uri", address)
	}
	none, all := &apps{}, &apps{registered: true}
	for _, address := range listed {
		if err := check(none, redirect.URI(address)); err != nil {
			t.Errorf("Check(%s) = %v", address, err)
		}
	}
	if err := check(all, "https://other.example/cb"); err != nil || len(all.asked) != 1 {
		t.Errorf("Check() of an app's address = %v", err)
	}
	refused := fault.From(check(none, "https://other.example/cb"))
	if refused.Code != fault.Validation || refused.Fields[0].Path != "/redirect_uri" {
		t.Errorf("Check() of an unregistered address = %v", refused)
	}
	for _, address := range []redirect.URI{"", "/cb", "http://app.example/cb", "https://u:p@app.example/cb", "https://app.example/cb#x", "https://*.example/cb", "javascript:alert(1)", "https://app.example\u00e9/cb"} {
		before := len(all.asked)
		if err := check(all, address); fault.From(err).Code != fault.Validation || len(all.asked) != before {
			t.Errorf("Check(%q) = %v", address, err)
		}
	}
	down := errors.New("the store is down")
	if err := check(&apps{err: down}, "https://other.example/cb"); !errors.Is(err, down) {
		t.Errorf("Check() = %v", err)
	}
}

func (*apps) At(context.Context, string) (bool, error) { return false, nil }
