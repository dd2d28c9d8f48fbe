-- Open invitations of a sender, who may be merged into another account.
CREATE INDEX invitations_invited_by ON invitations (invited_by) WHERE ended = '' AND invited_by <> '';
