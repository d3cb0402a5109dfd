import { meaningsOf, type Operations, type WireOf } from '@credit/contract';
import { EventEffect } from '@credit/proto/reporting/v1/types';
import { Badge, count, Id, money, Time, type Tone } from './components';
import type { Page } from './page';
import { ACCOUNTS, type Account, daysPastDue, type Event, eventName, Standing } from './record';
import { words } from './words';

/** An event, and how the account stood after it where that is told. */
type Listed = Event & Partial<Pick<WireOf<Operations['listAccountEvents']>[number], 'standing'>>;

interface TimelineProps {
  readonly page: Page;
  readonly account: Account;
  /** The last recorded first. */
  readonly events: readonly Listed[];
  /** Others on the page that these may be tied to. */
  readonly beside?: readonly Event[];
  /** The event that a dispute is about. */
  readonly contested_id?: string | null;
  /** Leads to correcting what the reader may correct. */
  readonly corrects?: boolean;
}

/** What was reported of an account, corrections tied both ways. */
export const Timeline = ({ events, beside = [], ...rest }: TimelineProps) => {
  const by_id = new Map([...beside, ...events].map((event) => [event.id, event]));
  return (
    <ol class="timeline" reversed start={events[0]?.sequence}>
      {events.map((event) => (
        <EventItem {...rest} of={event} by_id={by_id} />
      ))}
    </ol>
  );
};

/** How an event is marked that does not count. */
const EFFECT_MARKS: Readonly<Record<Event['effect'], { tone: Tone; text: string }>> = {
  EFFECTIVE: { tone: 'plain', text: '' },
  SUPERSEDED: { tone: 'plain', text: 'Superseded' },
  IGNORED: { tone: 'warn', text: 'Without effect' },
  SUPPRESSED: { tone: 'accent', text: 'Left out until decided' },
};

const EventItem = ({
  page,
  account,
  of,
  by_id,
  contested_id,
  corrects = false,
}: Omit<TimelineProps, 'events' | 'beside'> & {
  of: Listed;
  by_id: ReadonlyMap<string, Event>;
}) => {
  const { currency } = account;
  const { tone, text } = EFFECT_MARKS[of.effect];
  return (
    <li id={`event-${of.id}`} class={of.effect === 'EFFECTIVE' ? undefined : 'void'}>
      <p class="event-head">
        <span class="soft number">No. {count(of.sequence)}</span> <strong>{eventName(of)}</strong>{' '}
        {of.effect !== 'EFFECTIVE' && (
          <span title={meaningsOf(EventEffect)?.values[of.effect]}>
            <Badge tone={tone}>{text}</Badge>
          </span>
        )}
        {of.by_network && <Badge tone="accent">By the network</Badge>}
        {of.id === contested_id ? (
          <Badge tone="warn">Contested</Badge>
        ) : (
          of.open_dispute_count > 0 && <Badge tone="warn">Disputed</Badge>
        )}
      </p>
      <p class="soft">
        <Happened of={of} />, recorded <Time at={of.reported_at} />
      </p>
      <EventFacts of={of} currency={currency} />
      {of.supersedes_event_id !== null && (
        <p>
          Corrects <EventLink id={of.supersedes_event_id} by_id={by_id} />
          {of.correction_reason !== null && (
            <>
              : <q>{of.correction_reason}</q>
            </>
          )}
        </p>
      )}
      {of.certification !== null && (
        <p>
          Certified: <q>{of.certification}</q>
        </p>
      )}
      {of.superseded_by_event_id !== null && (
        <p>
          Superseded by <EventLink id={of.superseded_by_event_id} by_id={by_id} />
        </p>
      )}
      {of.standing && (
        <p class="event-after">
          After it: {money(of.standing.balance, currency)}, <Standing of={of.standing.status} />
          {of.standing.days_past_due > 0 && `, ${daysPastDue(of.standing)} past due`}
        </p>
      )}
      {corrects && page.may('records.write') && isCorrectable(of, account) && (
        <p class="no-print">
          <a
            href={page.href(`${ACCOUNTS}/${account.id}/report`, {
              corrects: of.id,
              cursor: page.query('cursor'),
            })}
          >
            Correct this<span class="visually-hidden">: No. {of.sequence}</span>
          </a>
        </p>
      )}
    </li>
  );
};

/** When an event happened; what replaces another happened when that did, unless it says otherwise. */
export const Happened = ({ of }: { of: Event }) => {
  const replaces = of.corrected_event_type !== null || of.corrected_account !== null;
  if (replaces && of.corrected_occurred_at === null) return <>At the time of what it corrects</>;
  return (
    <>
      Happened <Time at={of.corrected_occurred_at ?? of.occurred_at} />
    </>
  );
};

/** The facts of an event beyond its times. */
export const EventFacts = ({ of, currency }: { of: Event; currency: string }) => {
  const terms = Object.entries(of.corrected_account ?? {}).filter(([, value]) => value !== null);
  const said = [
    ...(of.amount === null ? [] : [`Amount ${money(of.amount, currency)}`]),
    ...(of.balance_after === null ? [] : [`balance after ${money(of.balance_after, currency)}`]),
    ...(of.default_severity === null ? [] : [`severity ${words(of.default_severity)}`]),
    ...(of.source_reference === null ? [] : [`furnisher’s reference ${of.source_reference}`]),
    ...terms.map(([name, value]) => `${words(name)} ${String(value)}`),
  ];
  return said.length === 0 ? null : <p class="event-facts">{said.join(' · ')}</p>;
};

const EventLink = ({ id, by_id }: { id: string; by_id: ReadonlyMap<string, Event> }) => {
  const event = by_id.get(id);
  // One of another page of the list has no number here.
  if (event === undefined) return <Id of={id} />;
  return (
    <a href={`#event-${id}`}>
      No. {count(event.sequence)}, {eventName(event)}
    </a>
  );
};

/** What can be corrected at all; whether this correction is possible, its try says. */
function isCorrectable(event: Event, { voided }: Account): boolean {
  if (event.by_network || event.superseded_by_event_id !== null) return false;
  if (voided && event.event_type !== 'CORRECTION') return false;
  return event.event_type !== 'DISPUTE_OPENED' && event.event_type !== 'DISPUTE_RESOLVED';
}
