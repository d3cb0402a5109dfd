import {
  eventBodies,
  type ReportedEvent,
  TEST_EVENT_ID,
  testBody,
} from '../../src/domain/event-body';

const DEFAULT: ReportedEvent = {
  id: '01900000-0000-7000-8000-00000000000a',
  type: 'credit.default.reported',
  created_at: '2026-03-01T12:00:00.000Z',
  environment: 'live',
  subject_id: '01900000-0000-7000-8000-00000000000b',
  credit_event_id: '01900000-0000-7000-8000-00000000000c',
  account_type: 'TERM_LOAN',
  status: 'DEFAULTED',
  particulars: { default_severity: 'MODERATE' },
  occurred_at: '2026-02-28T09:30:00.000Z',
  reported_at: '2026-03-01T11:59:59.999Z',
  account_id: '01900000-0000-7000-8000-00000000000d',
  external_account_id: 'LN-2001 "ä"',
};

describe('body of a delivery', () => {
  test('a default, as every receiver but the reporter gets it', () => {
    expect(eventBodies(DEFAULT).body).toBe(
      '{"created_at":"2026-03-01T12:00:00.000Z","data":{"account_type":"TERM_LOAN",' +
        '"credit_event_id":"01900000-0000-7000-8000-00000000000c","default_severity":"MODERATE",' +
        '"occurred_at":"2026-02-28T09:30:00.000Z","reported_at":"2026-03-01T11:59:59.999Z",' +
        '"status":"DEFAULTED","subject_id":"01900000-0000-7000-8000-00000000000b"},' +
        '"environment":"live","id":"01900000-0000-7000-8000-00000000000a",' +
        '"type":"credit.default.reported"}',
    );
  });

  test('the reporter alone is told which of its accounts it is', () => {
    const { body, reporter_body } = eventBodies(DEFAULT);
    expect(body).not.toContain('account_id');
    expect(body).not.toContain('LN-2001');
    expect(JSON.parse(reporter_body)).toEqual({
      ...JSON.parse(body),
      data: {
        ...JSON.parse(body).data,
        account_id: DEFAULT.account_id,
        external_account_id: DEFAULT.external_account_id,
      },
    });
  });

  test('a delinquency says its bucket in place of a severity', () => {
    const { body } = eventBodies({
      ...DEFAULT,
      type: 'credit.delinquency.reported',
      status: 'DELINQUENT',
      particulars: { bucket: 'DPD_30' },
    });
    const { data } = JSON.parse(body);
    expect(data.bucket).toBe('DPD_30');
    expect(data).not.toHaveProperty('default_severity');
  });

  test('the end of a default names its correction and no degree', () => {
    const { body } = eventBodies({
      ...DEFAULT,
      type: 'credit.default.voided',
      status: 'CURRENT',
      particulars: { correction_event_id: '01900000-0000-7000-8000-00000000001c' },
    });
    expect(body).toBe(
      '{"created_at":"2026-03-01T12:00:00.000Z","data":{"account_type":"TERM_LOAN",' +
        '"correction_event_id":"01900000-0000-7000-8000-00000000001c",' +
        '"credit_event_id":"01900000-0000-7000-8000-00000000000c",' +
        '"occurred_at":"2026-02-28T09:30:00.000Z","reported_at":"2026-03-01T11:59:59.999Z",' +
        '"status":"CURRENT","subject_id":"01900000-0000-7000-8000-00000000000b"},' +
        '"environment":"live","id":"01900000-0000-7000-8000-00000000000a",' +
        '"type":"credit.default.voided"}',
    );
  });

  test('the test event is the same every time and names its environment', () => {
    expect(testBody('test')).toBe(testBody('test'));
    expect(JSON.parse(testBody('live'))).toMatchObject({
      id: TEST_EVENT_ID,
      type: 'svc.test',
      environment: 'live',
      data: { status: 'DEFAULTED' },
    });
  });
});
