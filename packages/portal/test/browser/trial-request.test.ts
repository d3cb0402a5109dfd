import { keyRefusal, type Trial, trialRequest } from '../../browser/trial-request';

const TEST_KEY = `svc_test_${'a'.repeat(49)}`;

const trial: Trial = {
  method: 'POST',
  path: '/api/v1/accounts/{account_id}/events',
  key: TEST_KEY,
  body: '{"event_type":"PAYMENT_DUE"}',
  fields: [
    { place: 'path', name: 'account_id', value: 'a/b?c', required: true },
    { place: 'query', name: 'dry_run', value: 'true', required: false },
    { place: 'query', name: 'limit', value: '', required: false },
    { place: 'header', name: 'Idempotency-Key', value: 'payment-1', required: true },
  ],
};

describe('the key', () => {
  test.each([
    [`svc_live_${'a'.repeat(49)}`, 'This is a live key', true],
    ['svc_live_', 'This is a live key', true],
    ['', 'Enter a test key', false],
    ['Bearer svc_test_x', 'begins with svc_test_', false],
    ['svc_at_token', 'begins with svc_test_', false],
  ])('%j is refused', (key, sentence, forget) => {
    expect(keyRefusal(key)).toEqual({ sentence: expect.stringContaining(sentence), forget });
    expect(trialRequest({ ...trial, key })).toEqual({
      refused: expect.stringContaining(sentence),
    });
  });

  test('of the test environment is accepted', () => {
    expect(keyRefusal(TEST_KEY)).toBeUndefined();
  });
});

describe('the request', () => {
  test('has what was filled in, in its place, and nothing of what was not', () => {
    expect(trialRequest(trial)).toEqual({
      url: '/api/v1/accounts/a%2Fb%3Fc/events?dry_run=true',
      method: 'POST',
      headers: {
        Accept: '*/*',
        Authorization: `Bearer ${TEST_KEY}`,
        'Content-Type': 'application/json',
        'Idempotency-Key': 'payment-1',
      },
      body: '{"event_type":"PAYMENT_DUE"}',
    });
  });

  test('of an operation without a key carries no credential', () => {
    const request = trialRequest({ ...trial, key: undefined, body: undefined, fields: [] });
    expect(request).toMatchObject({ headers: { Accept: '*/*' }, body: undefined });
    expect(request).not.toHaveProperty('headers.Authorization');
  });

  test('is not made while something is missing, and says what', () => {
    const fields = trial.fields.map((field) => ({ ...field, value: '' }));
    expect(trialRequest({ ...trial, fields })).toEqual({ refused: 'Fill in account_id.' });
  });

  test('is not made of a body that is not JSON', () => {
    expect(trialRequest({ ...trial, body: '{' })).toEqual({
      refused: expect.stringMatching(/^The body is not JSON: /),
    });
  });
});
