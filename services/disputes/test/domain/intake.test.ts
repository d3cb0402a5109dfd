import { type IntakeDraft, parseIntake } from '../../src/domain/intake';

const EVENT_ID = '01900000-0000-7000-8000-00000000000A';
const DRAFT: IntakeDraft = {
  subject_id: undefined,
  credit_event_id: EVENT_ID,
  reported_institution_id: undefined,
  opened_by: 'stonecutter',
  reason: 'PAYMENT_REPORTED_LATE',
  description: 'The payment of 1 February was on time.',
  evidence_links: ['https://files.example/receipt.png'],
};

const faults = (changes: Partial<IntakeDraft>): string[] => {
  try {
    parseIntake({ ...DRAFT, ...changes });
    return [];
  } catch (error) {
    expect(error).toMatchObject({ code: 'VALIDATION_ERROR' });
    return (error as { details: { path: string }[] }).details.map((detail) => detail.path);
  }
};

describe('intake of a dispute', () => {
  test('a complete one is taken with its ids in lower case', () => {
    expect(parseIntake(DRAFT)).toEqual({
      ...DRAFT,
      subject_id: undefined,
      credit_event_id: EVENT_ID.toLowerCase(),
      reported_institution_id: undefined,
    });
  });

  test('any one of subject, event and institution is enough, none is not', () => {
    const none = { credit_event_id: undefined };
    expect(faults({ ...none, subject_id: EVENT_ID })).toEqual([]);
    expect(faults({ ...none, reported_institution_id: EVENT_ID })).toEqual([]);
    expect(faults(none)).toEqual(['']);
    expect(faults({ credit_event_id: '' })).toEqual(['']);
    expect(faults({ credit_event_id: 'x' })).toEqual(['credit_event_id']);
  });

  test('reason, description and opener are required and bounded', () => {
    expect(faults({ reason: undefined })).toEqual(['reason']);
    expect(faults({ opened_by: '' })).toEqual(['opened_by']);
    expect(faults({ opened_by: '   ' })).toEqual(['opened_by']);
    expect(faults({ opened_by: 'x'.repeat(201) })).toEqual(['opened_by']);
    expect(faults({ description: 'x'.repeat(19) })).toEqual(['description']);
    expect(faults({ description: 'x'.repeat(20) })).toEqual([]);
    expect(faults({ description: ' '.repeat(30) })).toEqual(['description']);
    expect(faults({ description: 'x'.repeat(5_000) })).toEqual([]);
    expect(faults({ description: 'x'.repeat(5_001) })).toEqual(['description']);
    expect(faults({ description: 'a NUL \0 somewhere in the text' })).toEqual(['description']);
    expect(faults({ description: 'half a pair \ud800 somewhere in it' })).toEqual(['description']);
  });

  test('an address is one of e-mail, and may be left out', () => {
    expect(faults({ contact_email: undefined })).toEqual([]);
    expect(faults({ contact_email: 'ada@example.org' })).toEqual([]);
    for (const contact_email of [
      '',
      'ada',
      'ada@a.b, eve@a.b',
      'ada@example.org\r\nBcc: eve@a.b',
    ]) {
      expect(faults({ contact_email })).toEqual(['contact_email']);
    }
  });

  test('characters are counted, not code units', () => {
    expect(faults({ description: '😀'.repeat(10) })).toEqual(['description']);
    expect(faults({ description: '😀'.repeat(5_000) })).toEqual([]);
  });

  test('evidence is at most ten http or https links', () => {
    const link = 'http://files.example/1';
    expect(faults({ evidence_links: new Array(10).fill(link) })).toEqual([]);
    expect(faults({ evidence_links: new Array(11).fill(link) })).toEqual(['evidence_links']);
    expect(
      faults({
        evidence_links: [
          link,
          'ftp://files.example/1',
          'javascript:alert(1)',
          'files.example/1',
          '',
          `https://files.example/${'x'.repeat(2_000)}`,
        ],
      }),
    ).toEqual([1, 2, 3, 4, 5].map((index) => `evidence_links[${index}]`));
  });

  test('everything that is wrong is named at once', () => {
    expect(
      faults({ credit_event_id: undefined, opened_by: '', reason: undefined, description: '' }),
    ).toEqual(['', 'opened_by', 'description', 'reason']);
  });
});
