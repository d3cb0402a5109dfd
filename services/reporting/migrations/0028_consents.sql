-- How whoever looked names the consent that it had.
ALTER TABLE inquiries ADD COLUMN consent_reference text;
ALTER TABLE refused_inquiries ADD COLUMN consent_reference text;
