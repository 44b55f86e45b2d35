-- The last characters of a client secret, by which users recognize it. They were not stored before.
ALTER TABLE application_secrets ADD COLUMN last_characters text COLLATE "C";
