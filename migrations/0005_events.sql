-- The request id of most events is a UUIDv7 of the service: its time tells where in
-- the log they are. request_index holds that of the others, and is empty for those.
ALTER TABLE events ADD COLUMN request_index {key} NOT NULL DEFAULT '';
UPDATE events SET request_index = request_id WHERE request_id <> '';
DROP INDEX events_request_id;
CREATE INDEX events_request_index ON events (request_index) WHERE request_index <> '';
