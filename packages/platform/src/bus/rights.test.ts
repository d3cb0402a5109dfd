import type { EventType } from './consumer';
import { type BUS_USE, BUS_USERS, permissionsOf, serverAuthorization } from './rights';

type Published = (typeof BUS_USE)[keyof typeof BUS_USE]['publishes'][number];
/** Does not compile when an event has been declared that nobody may publish. */
const ALL_ARE_PUBLISHED: EventType extends Published ? true : never = true;

const publishOf = (user: string) => permissionsOf(user).publish;

describe('rights on the bus', () => {
  it('let each type of event be published by who says it', () => {
    expect(ALL_ARE_PUBLISHED).toBe(true);
    expect(publishOf('webhooks').filter((subject) => subject.startsWith('credit.'))).toEqual([
      'credit.v1.*.*.audit_recorded',
      'credit.v1.lost.*',
    ]);
    const forgers = BUS_USERS.filter((user) =>
      publishOf(user).includes('credit.v1.*.*.account_changed'),
    );
    expect(forgers).toEqual(['reporting']);
  });

  it('hold no wildcard over types, services or what the API can do', () => {
    for (const user of BUS_USERS) {
      const { publish, subscribe } = permissionsOf(user);
      expect(subscribe).toEqual([`_INBOX.${user}.>`]);
      for (const subject of publish) {
        expect(subject).not.toMatch(/PURGE|SNAPSHOT|RESTORE|LEADER|PEER|PAUSE/);
        if (subject.includes('DELETE')) {
          // A position of its own: nothing of the stream.
          expect(subject).toMatch(/^\$JS\.API\.CONSUMER\.DELETE\.CREDIT\.[a-z]+-[a-z_]+$/);
          expect(subject).toContain(`.CREDIT.${user}-`);
        }
        if (subject.startsWith('$JS.API.')) {
          expect(subject).toMatch(/^\$JS\.API\.(STREAM|CONSUMER)\.[A-Z.]+\.CREDIT(\.|$)/);
          expect(subject.endsWith('>')).toBe(false);
        } else if (!subject.startsWith('$JS.ACK.') && subject !== 'credit.v1.lost.*') {
          expect(subject).toMatch(/^credit\.v1\.\*\.\*\.[a-z_]+$/);
        }
      }
    }
  });

  it('leave the making of the stream to the record, and its settings to the keeper', () => {
    const may = (api: string) => BUS_USERS.filter((user) => publishOf(user).includes(api));
    expect(may('$JS.API.STREAM.CREATE.CREDIT')).toEqual(['reporting', 'stream']);
    expect(may('$JS.API.STREAM.UPDATE.CREDIT')).toEqual(['stream']);
  });

  it('write passwords so that none of them can be taken for configuration', () => {
    const text = serverAuthorization(() => ({ text: 'a" } \\ b' }));
    expect(text).toContain('password: "a\\" } \\\\ b"');
  });
});
