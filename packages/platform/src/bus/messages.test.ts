import { Event, EventGroup } from '@credit/proto/events/v1/events';
import { newId } from '../core';
import {
  eventsOfLetter,
  type Incoming,
  messageAlone,
  messagesOf,
  type Outgoing,
  type RelayRow,
  readMessage,
} from './messages';

const AUDIT = {
  $case: 'audit_recorded',
  value: {
    ...{ institution_id: 'bank', action: 'tested', actor_type: 'system', actor_id: '', ip: '' },
    ...{ target_type: '', target_id: '', changes_json: '', at: undefined },
  },
} as const;

function row(
  overrides: Partial<RelayRow> & { environment?: string; text?: string } = {},
): RelayRow {
  const { environment = 'live', text = '', ...rest } = overrides;
  const id = rest.id ?? newId();
  const event: Event = {
    ...{ id, environment, request_id: text, traceparent: `trace of ${id}`, payload: AUDIT },
    created_at: '2026-01-01T00:00:00.000Z',
  };
  return {
    ...{ id, partition: 3, type: 'audit_recorded' },
    payload: Buffer.from(Event.encode(event).finish()),
    ...rest,
  };
}

const rows = (count: number) => Array.from({ length: count }, () => row());

function sent(taken: readonly RelayRow[], most_events = 64): Outgoing[] {
  return messagesOf(taken, most_events).map((message) => {
    if ('error' in message) throw message.error;
    return message;
  });
}

const idsOf = (messages: readonly Outgoing[]) =>
  messages.map((message) => message.rows.map(({ id }) => id));

const received = ({ subject, id, payload }: Outgoing) => readMessage(subject, id, payload);

const eventIds = (incoming: readonly Incoming[]) =>
  incoming.map((one) => ('error' in one ? one.error.message : one.event.id));

describe('rows of an outbox', () => {
  it('go alone as they are, under their own id', () => {
    const one = row();
    const [message] = sent([one]);
    expect(message).toMatchObject({
      id: one.id,
      subject: 'credit.v1.live.p03.audit_recorded',
      traceparent: `trace of ${one.id}`,
      payload: one.payload,
    });
  });

  it('go together by type and environment, in their order, each with its partition', () => {
    const taken = [
      row({ partition: 1 }),
      row({ partition: 1, environment: 'test' }),
      row({ partition: 2 }),
      row({ partition: 2, type: 'account_changed' }),
      row({ partition: 9 }),
    ];
    const [first, , third, , fifth] = taken.map(({ id }) => id);
    const messages = sent(taken);
    expect(messages.map(({ subject }) => subject)).toEqual([
      'credit.v1.live.p01.audit_recorded',
      'credit.v1.test.p01.audit_recorded',
      'credit.v1.live.p02.account_changed',
    ]);
    const [group] = messages;
    if (group === undefined) throw new Error('There is one.');
    expect(idsOf([group])).toEqual([[first, third, fifth]]);
    expect(received(group)).toMatchObject([
      { environment: 'live', partition: 1, event: { id: first } },
      { environment: 'live', partition: 2, event: { id: third } },
      { environment: 'live', partition: 9, event: { id: fifth } },
    ]);
  });

  it('begin another message where one is full, of events or of bytes', () => {
    const taken = rows(130);
    expect(idsOf(sent(taken)).map((ids) => ids.length)).toEqual([64, 64, 2]);
    expect(idsOf(sent(taken)).flat()).toEqual(taken.map(({ id }) => id));
    expect(sent(taken, 1)).toHaveLength(130);
    const long = Array.from({ length: 5 }, () => row({ text: 'x'.repeat(30_000) }));
    expect(idsOf(sent(long)).map((ids) => ids.length)).toEqual([2, 2, 1]);
    const largest = row({ text: 'x'.repeat(900_000) });
    expect(idsOf(sent([row(), largest, row()])).map((ids) => ids.length)).toEqual([1, 1, 1]);
  });

  it('make the same messages again, and other rows other ones', () => {
    const taken = rows(100);
    const ids = sent(taken).map(({ id }) => id);
    expect(sent(taken).map(({ id }) => id)).toEqual(ids);
    // What was marked is a front of a lane.
    expect(sent(taken.slice(0, 64)).map(({ id }) => id)).toEqual(ids.slice(0, 1));
    expect(sent(taken.slice(0, 99)).map(({ id }) => id)[1]).not.toBe(ids[1]);
    expect(sent([...taken.slice(1, 2), ...taken.slice(0, 1)])[0]?.id).not.toBe(
      sent(taken.slice(0, 2))[0]?.id,
    );
  });

  it('that no message can hold stay apart', () => {
    const taken = [
      row(),
      row({ payload: Buffer.from([0x0a, 0xff]) }),
      row({ environment: 'else' }),
    ];
    const [first, ...others] = messagesOf([...taken, row()], 64);
    expect(first).toMatchObject({ rows: [{ id: taken[0]?.id }, {}] });
    expect(others).toMatchObject([
      { row: { id: taken[1]?.id }, error: { message: 'The event cannot be decoded.' } },
      { row: { id: taken[2]?.id }, error: { message: 'The event names no environment.' } },
    ]);
    expect(messageAlone(taken[0] as RelayRow)).toMatchObject({ id: taken[0]?.id });
  });
});

describe('a message', () => {
  it('gives each event as its row had it', () => {
    const taken = rows(3);
    const [group] = sent(taken);
    const payloads = received(group as Outgoing).map(({ payload }) => Buffer.from(payload));
    expect(payloads).toEqual(taken.map(({ payload }) => payload));
  });

  it('with one that is no event gives the others', () => {
    const taken = [row(), row({ type: 'audit_recorded', payload: Buffer.from([]) }), row()];
    const events = taken.map(({ partition, payload }) => ({ partition, event: payload }));
    const foreign = { partition: 3, event: row({ environment: 'test' }).payload };
    const data = EventGroup.encode({ events: [...events, foreign] }).finish();
    const incoming = readMessage('credit.v1.live.p03.audit_recorded', newId(), data);
    expect(eventIds(incoming)).toEqual([
      taken[0]?.id,
      'The event has no id.',
      taken[2]?.id,
      'The event of test came as one of live.',
    ]);
    const ids = incoming.flatMap((one) => ('error' in one ? one.id : []));
    expect(new Set(ids).size).toBe(2);
    const again = readMessage('credit.v1.live.p03.audit_recorded', newId(), data);
    expect(again.flatMap((one) => ('error' in one ? one.id : []))).toEqual(ids);
  });

  it('that cannot be read goes by its own id, whatever the relay hung on to it', () => {
    const id = newId();
    const data = new Uint8Array([0xff]);
    for (const message_id of [id, `${id}/${newId()}`]) {
      expect(readMessage('credit.v1.live.p03.audit_recorded', message_id, data)).toMatchObject([
        { id, payload: data },
      ]);
    }
    expect(readMessage('credit.v1.live.p03', id, row().payload)).toMatchObject([
      { id, error: { message: "The subject credit.v1.live.p03 is no event's." } },
    ]);
  });

  it('that a build without groups gave up is read by one that knows them', () => {
    const taken = rows(3);
    const [group] = sent(taken);
    const letter = (group as Outgoing).payload;
    expect(Event.decode(letter).id).toBe('');
    expect(eventsOfLetter(letter).map(({ id }) => id)).toEqual(taken.map(({ id }) => id));
    const alone = row();
    expect(eventsOfLetter(alone.payload).map(({ id }) => id)).toEqual([alone.id]);
  });
});
