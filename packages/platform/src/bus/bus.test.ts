import { connectionOptions } from './bus';

describe('the NATS connection', () => {
  const options = (url: string) => connectionOptions({ url, name: 'scoring' });

  it('takes one server or several, with or without a scheme', () => {
    expect(options('nats://one:4222').servers).toEqual(['one:4222']);
    expect(options('one:4222, tls://two:4223').servers).toEqual(['one:4222', 'two:4223']);
  });

  it('takes credentials out of the URL', () => {
    expect(options('nats://scoring:p%40ss@one:4222')).toMatchObject({
      servers: ['one:4222'],
      user: 'scoring',
      pass: 'p@ss',
    });
    expect(options('nats://secret@one:4222')).toMatchObject({ token: 'secret' });
    expect(options('nats://one:4222')).not.toHaveProperty('token');
  });

  it('never gives up', () => {
    expect(options('nats://one:4222')).toMatchObject({
      maxReconnectAttempts: -1,
      ignoreAuthErrorAbort: true,
    });
  });

  it('refuses a URL that names no server', () => {
    expect(() => options('nats://')).toThrow('The NATS URL names no server.');
  });
});
