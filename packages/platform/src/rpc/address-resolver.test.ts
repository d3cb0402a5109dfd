import { parseTarget } from './address-resolver';

describe('a target', () => {
  it.each([
    ['dns:///reporting.credit.svc:9102', undefined, 'reporting.credit.svc', '9102'],
    ['dns:reporting:9102', undefined, 'reporting', '9102'],
    ['reporting:9102', undefined, 'reporting', '9102'],
    ['127.0.0.1:9102', ['127.0.0.1:9102'], '', '9102'],
    ['dns:///127.0.0.1:9102', ['127.0.0.1:9102'], '', '9102'],
    ['[::1]:9102', ['[::1]:9102'], '', '9102'],
    ['localhost:9102', ['localhost:9102'], '', '9102'],
    ['ipv4:127.0.0.1:1,127.0.0.2:2', ['127.0.0.1:1', '127.0.0.2:2'], '', ''],
    ['unix:/run/reporting.sock', ['unix:/run/reporting.sock'], '', ''],
  ])('%s is understood', (target, addresses, host, port) => {
    expect(parseTarget(target)).toEqual({ addresses, host, port });
  });

  it.each(['', 'reporting', 'dns:///reporting', 'http://reporting:1', ':9102', '::1:9102'])(
    '"%s" is refused',
    (target) => {
      expect(() => parseTarget(target)).toThrow('is not a target');
    },
  );
});
