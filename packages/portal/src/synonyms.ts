/**
 * What people look for in words that the documents do not use, and where it is. A test holds that
 * each place is there.
 */
export const SYNONYMS: Readonly<Record<string, readonly string[]>> = {
  '/docs/guides/limits': ['rate limit', 'rate limits', 'quota', 'throttling', 'too many requests'],
  '/docs/guides/limits#time': ['timeout', 'timeouts', 'how long', 'retention'],
  '/docs/guides/limits#pages': ['pagination', 'paging', 'page size', 'offset'],
  '/docs/guides/limits#idempotency-keys': ['idempotent', 'exactly once'],
  '/docs/guides/errors#retrying': ['retry', 'retries', 'retrying', 'backoff'],
  '/docs/guides/authentication': ['bearer token', 'oauth', 'api key'],
  '/docs/guides/authentication#test-and-live': ['production', 'svc_live'],
  '/docs/guides/webhooks': ['webhook', 'callback', 'notification', 'push', 'event subscription'],
  '/docs/guides/webhooks#verify-a-signature': ['hmac', 'signature', 'signing secret'],
  '/docs/guides/reporting#corrections': ['delete', 'undo', 'amend', 'reversal'],
  '/docs/guides/reporting#bulk': ['batch'],
  '/docs/guides/imports': ['import', 'upload', 'csv import'],
  '/docs/guides/profiles': ['credit score', 'credit check', 'rating', 'enquiry', 'lookup'],
  '/docs/guides/profiles#reasons': ['adverse action', 'reason codes'],
  '/docs/guides/disputes': ['complaint', 'contest', 'wrong data'],
  '/docs/guides/going-live': ['production checklist', 'launch'],
  '/docs/guides/sandbox': ['sandbox', 'test data', 'test environment', 'playground', 'staging'],
  '/docs/guides/sandbox#test-keys': ['svc_test', 'test key', 'test keys'],
  '/docs/guides/subjects': ['borrower', 'customer', 'person', 'identity'],
  '/docs/guides/subjects#freezing-a-file': ['freeze', 'frozen', 'thaw', 'lock a file'],
  '/docs/guides/subjects#currencies': ['money', 'currency code'],
  '/docs/guides/clients': ['sdk', 'client library', 'libraries', 'openapi', 'swagger', 'codegen'],
  '/docs/guides/clients#python': ['python', 'pip'],
  '/docs/guides/clients#nodejs-and-typescript': ['node', 'javascript', 'typescript', 'npm'],
  '/docs/guides/clients#java-go-c-and-others': ['java', 'golang', 'csharp', '.net'],
  '/docs/guides/clients#postman-and-bruno': ['postman', 'bruno', 'insomnia'],
  '/docs/changelog': ['changelog', 'release notes', 'what is new', 'history of changes'],
  '/docs/guides/versioning': ['deprecation', 'breaking change', 'compatibility'],
};
