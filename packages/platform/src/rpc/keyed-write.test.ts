import { keyedWrite } from './keyed-write';
import { bytesOf, keepBytes, type MessageCodec } from './service';

interface Note {
  readonly text: string;
}

/** Counts how often it has encoded. */
class Counted implements MessageCodec<unknown> {
  encoded = 0;

  constructor(private readonly lead: string) {}

  encode(message: unknown) {
    this.encoded += 1;
    return { finish: () => Buffer.from(this.lead + (message as Note).text) };
  }

  decode(bytes: Uint8Array): Note {
    return { text: Buffer.from(bytes).toString().slice(this.lead.length) };
  }
}

function written() {
  const responseType = new Counted('response:');
  const method = { name: 'KeepNote', requestType: new Counted('request:'), responseType } as const;
  const write = keyedWrite({ ...method, requestStream: false, responseStream: false }, 60);
  return { responseType, write };
}

test('an answer that was stored is sent without another encoding, and so is one that is replayed', () => {
  const { responseType, write } = written();
  const answer: Note = { text: 'done' };
  const stored = write.codec.encode(answer);
  expect(bytesOf(responseType, answer)).toBe(stored);
  expect(responseType.encoded).toBe(1);
  const replayed = write.codec.decode(stored);
  expect(replayed).toEqual(answer);
  expect(bytesOf(responseType, replayed).equals(stored)).toBe(true);
  expect(responseType.encoded).toBe(1);
});

test('a message that is passed on as another type is encoded as that', () => {
  const [one, other] = [new Counted('one:'), new Counted('other:')];
  const message = keepBytes(one, { text: 'x' }, Buffer.from('one:x'));
  expect(bytesOf(other, message).toString()).toBe('other:x');
});
