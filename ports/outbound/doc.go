// Package outbound defines the interfaces that the application needs, one small file
// for each. Adapters implement them.
//
// This package contains those used everywhere: units of work, admission, events, the
// clock, identifiers, randomness and sealing. The others are grouped by area:
//
//   - people: accounts, sessions, lockouts and notices
//   - signin: passwords, passkeys, second factors, linked accounts, challenges
//   - machines: apps, API keys, M2M tokens, DPoP keys and proofs
//   - delegation: consents, grants, devices and logouts of OAuth clients
//   - workspaces: workspaces, members, branding
//   - licensing: products, licenses, machines, seats, features
//   - commerce: prices, checkouts, subscriptions, payment processors
//   - webhooks: the event feed, endpoints, deliveries, audit streams
//   - mailing: queue, templates, suppressions, mail server
//   - ops: settings, policies, limits, signing keys, upkeep of the store
//   - crypt: JOSE, JWK sets, DPoP proofs, password hashes, one-time codes
package outbound
