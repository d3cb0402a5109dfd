-- Read through by itself, while reports go on being asked for.
ALTER TABLE reports VALIDATE CONSTRAINT reports_report_type_check;
ALTER TABLE reports VALIDATE CONSTRAINT reports_notice_check;
