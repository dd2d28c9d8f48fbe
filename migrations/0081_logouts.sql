-- Clients that are yet to be told that a session ended (OpenID Connect Back-Channel Logout 1.0).
-- A row outlives session, grant and person; it goes once its client was told, or cannot be.
CREATE TABLE oauth_logouts (
    session_id {key}  NOT NULL,
    app_id     {key}  NOT NULL,
    subject    {key}  NOT NULL,
    ended_at   {time} NOT NULL,
    due_at     {time} NOT NULL,
    attempts   BIGINT NOT NULL,
    PRIMARY KEY (session_id, app_id)
) {fill 80};

CREATE INDEX oauth_logouts_due_at ON oauth_logouts (due_at);
