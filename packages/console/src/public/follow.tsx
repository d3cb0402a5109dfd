import type { Operations, WireOf } from '@credit/contract';
import { attemptToOpen, type Faults } from '../attempt';
import { Field, Form, Id, Notice, Submit, Time, TokenField } from '../components';
import type { View, Visit } from '../page';
import type { VisitorScreen } from '../screen';
import { REASONS } from './reasons';

/** Where a dispute is followed. */
export const FOLLOW = '/dispute/follow';

type Dispute = WireOf<Operations['getOpenedDispute']>;

const OUTCOMES: Readonly<Record<string, string>> = {
  RESOLVED_CORRECTED: 'Decided for you: the entry is corrected',
  RESOLVED_UPHELD: 'Decided: the entry stands',
  REJECTED: 'Not taken up',
};

/**
 * How a dispute stands, for whoever opened it. Its link keeps number and token in the fragment, which
 * no server sees; a script puts both into the form, and without scripts the reader does.
 */
export const followScreen: VisitorScreen = {
  path: FOLLOW,
  show: async (visit) => askPage(visit),
  submit: async (visit) => {
    const dispute_id = visit.form.text('dispute_id').trim();
    const token = visit.form.text('token').trim();
    const outcome = await attemptToOpen(() =>
      visit.callWith(token, 'getOpenedDispute', { params: { dispute_id } }),
    );
    if ('faults' in outcome) return askPage(visit, outcome.faults);
    return disputePage(visit, outcome.done.value, token);
  },
};

function askPage(visit: Visit, faults?: Faults): View {
  const is_wrong = faults?.error.code === 'INVALID_API_KEY';
  return {
    title: 'Follow a dispute',
    status: faults === undefined ? 200 : is_wrong ? 401 : 422,
    body: (
      <>
        {is_wrong && (
          <Notice kind="bad" alert>
            <p>
              <strong>That number and token do not belong together.</strong>
            </p>
          </Notice>
        )}
        <Form page={visit} faults={is_wrong ? undefined : faults}>
          <Field
            name="dispute_id"
            label="Number"
            required
            value={visit.form.text('dispute_id')}
            faults={faults}
          />
          <TokenField
            page={visit}
            label="Token"
            hint="Both were shown when you opened the dispute. A mail about it has them in its link."
            faults={faults}
          />
          <Submit>Show it</Submit>
        </Form>
      </>
    ),
  };
}

function disputePage(visit: Visit, dispute: Dispute, token: string): View {
  const { resolved_at, status } = dispute;
  const is_decided = resolved_at !== null;
  const steps = [
    { name: 'Opened', at: dispute.opened_at, text: REASONS[dispute.reason], state: 'past' },
    ...(is_decided
      ? []
      : [
          {
            name: status === 'UNDER_REVIEW' ? 'Under review' : 'Waits to be looked at',
            at: undefined,
            text: 'The record says that it is disputed.',
            state: 'now',
          },
        ]),
    is_decided
      ? {
          name: OUTCOMES[status] ?? 'Decided',
          at: resolved_at,
          text: dispute.resolution ?? '',
          state: 'now',
        }
      : {
          name: dispute.overdue ? 'A decision was due' : 'A decision is due',
          at: dispute.due_at,
          text: dispute.overdue ? 'It is late; you may ask the network why.' : '',
          state: 'ahead',
        },
    ...(dispute.reinsertion === null
      ? []
      : [
          {
            name: 'Reported again',
            at: dispute.reinsertion.at,
            text: `The lender certifies it: ${dispute.reinsertion.certification}`,
            state: 'now',
          },
        ]),
  ];
  return {
    title: 'Your dispute',
    body: (
      <>
        {dispute.correction_pending && (
          <Notice>
            <p>It was decided for you. The lender still has to report what is right.</p>
          </Notice>
        )}
        <ol class="steps">
          {steps.map(({ name, at, text, state }) => (
            <li class={state} aria-current={state === 'now' ? 'step' : undefined}>
              <p>
                <strong>{name}</strong>
                {at !== undefined && (
                  <span class="soft">
                    {' '}
                    <Time at={at} day />
                  </span>
                )}
              </p>
              {text !== '' && <p class="text">{text}</p>}
            </li>
          ))}
        </ol>
        <h2>What you said</h2>
        <p class="text">{dispute.description}</p>
        <p class="soft">
          Number <Id of={dispute.id} />
        </p>
        <Form page={visit}>
          <input type="hidden" name="dispute_id" value={dispute.id} />
          <input type="hidden" name="token" value={token} />
          <Submit quiet>Look again</Submit>
        </Form>
      </>
    ),
  };
}
