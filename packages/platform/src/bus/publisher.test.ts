import type { Msg, NatsConnection } from 'nats';
import { Publisher } from './publisher';

/** A server that answers each message with what is given. */
function publisherOn(...answers: readonly object[]): Publisher {
  const left = [...answers];
  let receive = (_error: null, _message: Msg) => {};
  const connection = {
    subscribe(_subject: string, options: { callback: typeof receive }) {
      receive = options.callback;
    },
    publish(_subject: string, _payload: Uint8Array, { reply }: { reply: string }) {
      const text = JSON.stringify(left.shift());
      const message = { subject: reply, data: Buffer.from(text), json: () => JSON.parse(text) };
      setImmediate(() => receive(null, message as unknown as Msg));
    },
  };
  return new Publisher(connection as unknown as NatsConnection, 5_000, () => {}, '_INBOX.test');
}

const send = (publisher: Publisher) => publisher.publish('credit.v1.x', Buffer.from(''), 'id');

describe('a receipt', () => {
  it('says where the message is stored, also when it was there before', async () => {
    const publisher = publisherOn({ stream: 'CREDIT', seq: 7 }, { seq: 7, duplicate: true });
    await expect(send(publisher)).resolves.toEqual({ sequence: 7, duplicate: false });
    await expect(send(publisher)).resolves.toEqual({ sequence: 7, duplicate: true });
  });

  it.each([
    ['a duplicate that is stored nowhere', { stream: 'CREDIT', seq: 0, duplicate: true }],
    ['the same from a newer server', { error: { code: 409, err_code: 10_158 } }],
  ])('is not %s: it may never be stored', async (_what, answer) => {
    await expect(send(publisherOn(answer))).rejects.toMatchObject({ reason: 'undecided' });
  });

  it('is not a refusal', async () => {
    const full = { error: { code: 503, err_code: 10_077, description: 'maximum bytes exceeded' } };
    await expect(send(publisherOn(full))).rejects.toMatchObject({
      reason: 'refused',
      message: 'maximum bytes exceeded',
    });
  });
});
