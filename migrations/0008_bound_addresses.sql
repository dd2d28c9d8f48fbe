-- Whether a verified address is bound: the account is known to be that of the address's
-- owner. It says nothing about an address that is not verified. Addresses that were
-- verified before it count as bound, and so do those that a replica of the release
-- before verifies for an account that it made.
ALTER TABLE users ADD COLUMN email_bound BOOLEAN NOT NULL DEFAULT TRUE;
