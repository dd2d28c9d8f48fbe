package people

import (
	"context"
	"net/netip"
	"time"

	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/user"
)

// Lockouts lists who is locked out, outside any transaction.
type Lockouts interface {
	// Accounts returns those that wrong passwords, or wrong codes of second factors, have
	// locked, the one that is free last first. One that both have locked stands there
	// once, by the lock that ends later.
	Accounts(ctx context.Context, query LockedQuery) ([]LockedAccount, error)
	// Addresses returns the addresses of the latest failed logins, each once, by its
	// last one, newest first.
	Addresses(ctx context.Context, since time.Time, most int) ([]FailedAddress, error)
}

// LockedQuery narrows a list of locked accounts.
type LockedQuery struct {
	Now time.Time
	// Since is from when on failed logins and wrong second factors are counted, up to
	// Most of each account.
	Since time.Time
	Most  int
	// Before is the last one of the page before; its Until is zero on the first page.
	Before LockedAccount
	Limit  int
}

// LockedAccount is an account that is locked.
type LockedAccount struct {
	UserID   user.ID
	Until    time.Time
	Failures int
}

// FailedAddress is an address of failed logins.
type FailedAddress struct {
	IP netip.Addr
	// Last is the event of the last one.
	Last event.ID
}
