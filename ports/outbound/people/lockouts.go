package people

import (
	"context"
	"net/netip"
	"time"

	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/user"
)

// Lockouts reads lockouts, outside any transaction.
type Lockouts interface {
	// Accounts returns the accounts locked by wrong passwords or second factors, sorted
	// by the end of the lock, latest first. An account locked by both is returned once,
	// with the later end.
	Accounts(ctx context.Context, query LockedQuery) ([]LockedAccount, error)
	// Addresses returns the IP addresses of the latest failed logins, each once, newest
	// first.
	Addresses(ctx context.Context, since time.Time, most int) ([]FailedAddress, error)
}

// LockedQuery narrows a list of locked accounts.
type LockedQuery struct {
	Now time.Time
	// Since is the start of the period in which failures are counted, up to Most for
	// each account.
	Since time.Time
	Most  int
	// Before is the last account of the previous page; its Until is zero for the first
	// page.
	Before LockedAccount
	Limit  int
}

// LockedAccount is a locked account.
type LockedAccount struct {
	UserID   user.ID
	Until    time.Time
	Failures int
}

// FailedAddress is an IP address of failed logins.
type FailedAddress struct {
	IP netip.Addr
	// Last is the event of the last failure.
	Last event.ID
}
