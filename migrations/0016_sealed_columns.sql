-- More columns are sealed where ENCRYPTION_KEY is set. What a caller wrote into them before
-- must not be taken for a sealed value, or for one that is marked as clear.
UPDATE sessions SET user_agent = 'clr:' || user_agent WHERE user_agent LIKE 'enc:%' OR user_agent LIKE 'clr:%';
UPDATE events SET user_agent = 'clr:' || user_agent WHERE user_agent LIKE 'enc:%' OR user_agent LIKE 'clr:%';
UPDATE users SET avatar = 'clr:' || avatar WHERE avatar LIKE 'enc:%' OR avatar LIKE 'clr:%';
UPDATE users SET disabled_why = 'clr:' || disabled_why WHERE disabled_why LIKE 'enc:%' OR disabled_why LIKE 'clr:%';
UPDATE devices SET name = 'clr:' || name WHERE name LIKE 'enc:%' OR name LIKE 'clr:%';
UPDATE devices SET user_agent = 'clr:' || user_agent WHERE user_agent LIKE 'enc:%' OR user_agent LIKE 'clr:%';
UPDATE notifications SET user_agent = 'clr:' || user_agent WHERE user_agent LIKE 'enc:%' OR user_agent LIKE 'clr:%';
UPDATE api_keys SET name = 'clr:' || name WHERE name LIKE 'enc:%' OR name LIKE 'clr:%';
UPDATE passkeys SET name = 'clr:' || name WHERE name LIKE 'enc:%' OR name LIKE 'clr:%';
UPDATE dpop_bindings SET name = 'clr:' || name WHERE name LIKE 'enc:%' OR name LIKE 'clr:%';
UPDATE mails SET last_error = 'clr:' || last_error WHERE last_error LIKE 'enc:%' OR last_error LIKE 'clr:%';
