import { newId } from '@credit/platform/runtime';
import { type AnswerDraft, checkCorrections, parseAnswer } from '../../src/domain/answer';
import { stepsOf } from '../../src/domain/steps';

const faults = (draft: Partial<AnswerDraft>) => {
  try {
    parseAnswer({ verdict: 'VERIFIED', text: 'As it was.', correction_event_ids: [], ...draft });
  } catch (error) {
    return (error as { details: { path: string }[] }).details.map(({ path }) => path);
  }
  return [];
};

describe('an answer', () => {
  const id = newId();

  test.each<[string, Partial<AnswerDraft>, string[]]>([
    ['is complete', {}, []],
    ['names what it corrects', { verdict: 'CORRECTED', correction_event_ids: [id] }, []],
    ['has a verdict', { verdict: undefined }, ['verdict']],
    ['says something', { text: ' ' }, ['text']],
    ['is no book', { text: 'x'.repeat(5_001) }, ['text']],
    ['names no correction of none', { verdict: 'CORRECTED' }, ['correction_event_ids']],
    ['corrects nothing else', { correction_event_ids: [id] }, ['correction_event_ids']],
    [
      'names each correction once, by its id',
      { verdict: 'CORRECTED', correction_event_ids: [id, id.toUpperCase(), 'x'] },
      ['correction_event_ids[1]', 'correction_event_ids[2]'],
    ],
    [
      'names no more than twenty',
      { verdict: 'CORRECTED', correction_event_ids: Array.from({ length: 21 }, newId) },
      ['correction_event_ids'],
    ],
  ])('%s', (_name, draft, paths) => {
    expect(faults(draft)).toEqual(paths);
  });

  test('keeps ids as they are stored', () => {
    const draft = { verdict: 'CORRECTED' as const, text: 'Yes.' };
    const upper = [id.toUpperCase()];
    expect(parseAnswer({ ...draft, correction_event_ids: upper }).correction_event_ids).toEqual([
      id,
    ]);
  });
});

describe('a correction that an answer names', () => {
  const [account_id, subject_id, own, other] = [newId(), newId(), newId(), newId()];
  const correction = { account_id, subject_id, institution_ids: [own], event_type: 'CORRECTION' };
  const contested = { account_id, located_subject_id: subject_id };

  test.each<[string, object, object, boolean]>([
    ['is one of the contested account', {}, {}, true],
    ['is of the subject when no event is named', {}, { account_id: undefined }, true],
    ['is not another’s', { institution_ids: [other] }, {}, false],
    ['is not of another account', { account_id: newId() }, {}, false],
    ['is not of another subject', { subject_id: newId() }, { account_id: undefined }, false],
    ['is not any event', { event_type: 'PAYMENT_MADE' }, {}, false],
    ['is not unknown', { institution_ids: [], event_type: undefined }, {}, false],
  ])('%s', (_name, event, dispute, is_right) => {
    const check = () =>
      checkCorrections([{ ...correction, ...event }], { ...contested, ...dispute }, own);
    if (is_right) expect(check).not.toThrow();
    else expect(check).toThrow(expect.objectContaining({ code: 'VALIDATION_ERROR' }));
  });
});

test('steps come in their order, the outcome last whatever clocks say', () => {
  const institution_id = newId();
  const dispute = {
    opened_at: '2026-03-01T00:00:00.000Z',
    resolved_at: '2026-03-05T00:00:00.000Z',
    status: 'RESOLVED_UPHELD' as const,
  };
  const answers = [
    { answered_at: '2026-03-05T00:00:00.001Z', institution_id, verdict: 'VERIFIED' as const },
    { answered_at: '2026-03-02T00:00:00.000Z', institution_id, verdict: 'NOT_OURS' as const },
  ];
  const kinds = stepsOf(dispute, answers, ['2026-03-03T00:00:00.000Z']).map(({ kind }) => kind);
  expect(kinds).toEqual(['OPENED', 'ANSWERED', 'REVIEW_BEGUN', 'ANSWERED', 'RESOLVED']);
  const open = { ...dispute, status: 'OPEN' as const, resolved_at: undefined };
  expect(stepsOf(open, [], [])).toEqual([{ kind: 'OPENED', at: open.opened_at }]);
});
