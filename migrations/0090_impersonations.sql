-- Who acts as whom. reason is sealed; ended_at is NULL until an end was noted, end is then what it
-- was by. An impersonation goes with the account of the person, and stays when the actor's goes.
CREATE TABLE impersonations (
    id               {key}   PRIMARY KEY,
    user_id          {key}   NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    actor_id         {key}   NOT NULL,
    org_id           {key}   NOT NULL,
    session_id       {key}   NOT NULL,
    actor_session_id {key}   NOT NULL,
    reason           TEXT    NOT NULL,
    read_only        BOOLEAN NOT NULL,
    started_at       {time}  NOT NULL,
    expires_at       {time}  NOT NULL,
    ended_at         {time},
    ended_by         TEXT    NOT NULL,
    purge_at         {time}  NOT NULL,
    version          BIGINT  NOT NULL
);

CREATE UNIQUE INDEX impersonations_session_id ON impersonations (session_id);
CREATE INDEX impersonations_user_id  ON impersonations (user_id, id);
CREATE INDEX impersonations_actor_id ON impersonations (actor_id, id);
CREATE INDEX impersonations_open     ON impersonations (id) WHERE ended_at IS NULL;
CREATE INDEX impersonations_purge_at ON impersonations (purge_at);

-- Until when people allow support to act as them; who does not has no row.
CREATE TABLE impersonation_consents (
    user_id       {key}  PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
    allowed_until {time} NOT NULL
);

-- Who acts as the person in a session, '' for a login.
ALTER TABLE sessions ADD COLUMN acted_by {key} NOT NULL DEFAULT '';

-- Whom the actor acted as, '' for nobody.
ALTER TABLE events ADD COLUMN on_behalf_of {key} NOT NULL DEFAULT '';
