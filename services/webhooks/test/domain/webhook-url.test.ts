import { parseAddressRanges } from '../../src/domain/address';
import { parseWebhookUrl } from '../../src/domain/webhook-url';

const parse = (url: string) => parseWebhookUrl(url, []);

describe('URL of a receiver', () => {
  test.each([
    ['https://example.com', 'example.com', false],
    ['https://example.com/hooks?tenant=7', 'example.com', false],
    ['https://EXAMPLE.com:8443/', 'example.com', false],
    ['HTTPS://example.com/', 'example.com', false],
    ['https://münchen.de/x', 'xn--mnchen-3ya.de', false],
    ['https://8.8.8.8/x', '8.8.8.8', true],
    ['https://[2606:4700::6810:84e5]:444/', '2606:4700::6810:84e5', true],
  ])('%s is accepted', (url, host, is_address) => {
    expect(parse(url)).toEqual({ host, is_address });
  });

  test.each([
    ['plain HTTP', 'http://example.com/'],
    ['another scheme', 'ftp://example.com/'],
    ['no scheme', 'example.com/hook'],
    ['no slashes', 'https:example.com'],
    ['no host', 'https:///hook'],
    ['nothing', ''],
    ['user information', 'https://user@example.com/'],
    ['user information with a password', 'https://user:pass@example.com/'],
    ['empty user information', 'https://@example.com/'],
    ['a fragment', 'https://example.com/#part'],
    ['an empty fragment', 'https://example.com/#'],
    ['a backslash', 'https://example.com\\@127.0.0.1/'],
    ['a line break', 'https://exa\nmple.com/'],
    ['a tab', 'https://example.com/\thook'],
    ['a space', ' https://example.com/'],
    ['a no-break space', 'https://example.com/\u00a0'],
    ['a NUL', 'https://example.com/\u0000'],
    ['a trailing dot', 'https://example.com./'],
    ['a trailing dot before a port', 'https://example.com.:8443/'],
    ['an address with a trailing dot', 'https://127.0.0.1./'],
    ['escapes in the host', 'https://%31%32%37.0.0.1/'],
    ['ideographic dots', 'https://127。0。0。1/'],
    ['full-width digits', 'https://１２７.0.0.1/'],
    ['a decimal address', 'https://2130706433/'],
    ['an octal address', 'https://0177.0.0.1/'],
    ['a hexadecimal address', 'https://0x7f.0.0.1/'],
    ['a hexadecimal address in one', 'https://0x7f000001/'],
    ['a short address', 'https://127.1/'],
    ['a global address in decimal', 'https://134744072/'],
    ['port 0', 'https://example.com:0/'],
    ['a port beyond the last', 'https://example.com:70000/'],
    ['loopback', 'https://127.0.0.1/'],
    ['private', 'https://192.168.0.10:8443/'],
    ['the metadata service', 'https://169.254.169.254/latest'],
    ['carrier-grade NAT', 'https://100.64.0.1/'],
    ['IPv6 loopback', 'https://[::1]/'],
    ['mapped', 'https://[::ffff:127.0.0.1]/'],
    ['NAT64', 'https://[64:ff9b::a9fe:a9fe]/'],
    ['a zone', 'https://[fe80::1%25eth0]/'],
    ['too long', `https://example.com/${'a'.repeat(2_000)}`],
  ])('%s is refused at `url`', (_kind, url) => {
    expect(() => parse(url)).toThrow(
      expect.objectContaining({
        code: 'VALIDATION_ERROR',
        details: [{ path: 'url', message: expect.any(String) }],
      }),
    );
  });

  test('an opened address is accepted, in its plain form only', () => {
    const opened = parseAddressRanges('127.0.0.0/8');
    expect(parseWebhookUrl('https://127.0.0.1:9443/hook', opened).is_address).toBe(true);
    expect(() => parseWebhookUrl('https://2130706433/', opened)).toThrow();
    expect(() => parseWebhookUrl('https://10.0.0.1/', opened)).toThrow();
  });
});
