/** Set by the test run's global set-up: the superuser's URL of a running server. */
export const ADMIN_URL_VARIABLE = 'TEST_DATABASE_ADMIN_URL';
