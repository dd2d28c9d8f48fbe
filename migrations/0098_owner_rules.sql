-- owner_met is the revision of the instance at which the sign-in rules of the workspace that owns the app
-- were met, 0 for never, as for grants of a release that did not record that, and -2 for a grant given
-- from an address that this workspace denies.
ALTER TABLE oauth_grants ADD COLUMN owner_met BIGINT NOT NULL DEFAULT 0;
