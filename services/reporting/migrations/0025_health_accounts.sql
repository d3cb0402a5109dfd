-- The accounts that pulled an institution's health down most at the last look at its book: of a large
-- book nobody reads all accounts to name a few. Which ones alone; how they stand is read with the account.
CREATE TABLE health_accounts (
  institution_id uuid NOT NULL,
  subject_id uuid NOT NULL,
  account_id uuid NOT NULL,
  PRIMARY KEY (institution_id, subject_id, account_id)
);
