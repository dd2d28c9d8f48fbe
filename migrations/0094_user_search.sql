-- What accounts are searched by: blind tokens of their addresses and names (contract section 4).
CREATE TABLE user_search (
    {search number}
    user_id {key} NOT NULL UNIQUE REFERENCES users (id) ON DELETE CASCADE,
    tokens  TEXT  NOT NULL
);

{search index};

-- updated_at as it was when the tokens were stored. A job enters the accounts that were there before, and those that
-- replicas of the release before change.
ALTER TABLE users ADD COLUMN searched_at {time};

CREATE INDEX users_unsearched ON users (id) WHERE searched_at IS NULL OR searched_at <> updated_at;
