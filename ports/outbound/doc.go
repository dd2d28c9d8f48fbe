// Package outbound holds what the application needs from the world, one small
// file per need. Adapters implement it; the application never sees them.
//
// What everybody needs is in this package: units of work, admission, events, the
// clock, identifiers, randomness and sealing. The rest is parted by area:
//
//   - people: accounts, sessions, lockouts and notices
//   - signin: passwords, passkeys, second factors, linked accounts, challenges
//   - machines: apps, API keys, M2M tokens, DPoP keys and proofs
//   - workspaces: workspaces, members, branding
//   - mailing: queue, templates, suppressions, mail server
//   - ops: settings, policies, limits, signing keys, upkeep of the store
//   - crypt: JOSE, JWK sets, DPoP proofs, password hashes, one-time codes
package outbound
