-- A notice is a report of an earlier look; the others are of the one that they were asked for with.
ALTER TABLE reports
  ADD COLUMN earlier_inquiry_id uuid,
  -- Who says it and where its reader turns to, as that was when it was asked for.
  ADD COLUMN parties json,
  -- What the score was made with that was seen.
  ADD COLUMN model_version text,
  DROP CONSTRAINT reports_report_type_check,
  ADD CONSTRAINT reports_report_type_check
    CHECK (report_type IN ('FULL', 'SUMMARY', 'COMMERCIAL', 'NOTICE')) NOT VALID,
  ADD CONSTRAINT reports_notice_check
    CHECK ((report_type = 'NOTICE') = (earlier_inquiry_id IS NOT NULL)
      AND (report_type = 'NOTICE') = (parties IS NOT NULL)
      AND (report_type = 'NOTICE') = (model_version IS NOT NULL)) NOT VALID;
