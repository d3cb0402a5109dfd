import { randomBytes, X509Certificate } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { join } from 'node:path';

/** A certificate authority of this data folder, for HTTPS receivers on this machine. */
export interface Authority {
  cert: string;
  key: string;
  cert_file: string;
}

export interface ServerCertificate {
  cert: string;
  key: string;
}

const DAY_MS = 86_400_000;
const AUTHORITY_DAYS = 3_650;
// Clients refuse server certificates that are valid for longer than 398 days.
const SERVER_DAYS = 397;

/** Made when missing; the same one ever after. Each folder's believes in nothing of another's. */
export async function keepAuthority(
  data_directory: string,
  name = 'authority',
): Promise<Authority> {
  const folder = join(data_directory, name);
  const cert_file = join(folder, 'ca.pem');
  const key_file = join(folder, 'ca.key');
  if (!existsSync(cert_file) || !existsSync(key_file)) {
    // Of a name of its own: of two that are believed, who checks a certificate takes its issuer by the name.
    const name_here = `Local credit network authority ${randomBytes(4).toString('hex')}`;
    const made = await generate(name_here, AUTHORITY_DAYS, [
      { name: 'basicConstraints', cA: true, pathLenConstraint: 0, critical: true },
      { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
    ]);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(key_file, made.key, { mode: 0o600 });
    writeFileSync(cert_file, made.cert, { mode: 0o644 });
  }
  return {
    cert: readFileSync(cert_file, 'utf8'),
    key: readFileSync(key_file, 'utf8'),
    cert_file,
  };
}

/** A receiver's certificate is made anew when it has less than this to live. */
const RENEWAL_DAYS = 30;

/**
 * Keeps `receiver.pem` and `receiver.key` beside the authority, for whoever tries webhooks with a
 * receiver on this machine.
 */
export async function keepReceiverCertificate(
  data_directory: string,
  authority: Pick<Authority, 'cert' | 'key'>,
  now_ms = Date.now(),
): Promise<void> {
  const folder = join(data_directory, 'authority');
  const cert_file = join(folder, 'receiver.pem');
  const key_file = join(folder, 'receiver.key');
  if (existsSync(key_file) && isGood(cert_file, authority, now_ms)) return;
  const made = await issueServerCertificate(authority, ['127.0.0.1', 'localhost']);
  writeFileSync(key_file, made.key, { mode: 0o600 });
  writeFileSync(cert_file, made.cert, { mode: 0o644 });
}

function isGood(file: string, authority: Pick<Authority, 'cert'>, now_ms: number): boolean {
  try {
    const certificate = new X509Certificate(readFileSync(file));
    const left_ms = certificate.validToDate.getTime() - now_ms;
    const issuer = new X509Certificate(authority.cert);
    return left_ms > RENEWAL_DAYS * DAY_MS && certificate.verify(issuer.publicKey);
  } catch {
    // Missing, or not a certificate.
    return false;
  }
}

/** For an HTTPS server under these names or addresses. */
export function issueServerCertificate(
  authority: Pick<Authority, 'cert' | 'key'>,
  hosts: readonly [string, ...string[]],
): Promise<ServerCertificate> {
  return issue(authority, hosts, { serverAuth: true });
}

/** For a service, which is called and calls under its name. */
export function issueServiceCertificate(
  authority: Pick<Authority, 'cert' | 'key'>,
  hosts: readonly [string, ...string[]],
): Promise<ServerCertificate> {
  return issue(authority, hosts, { serverAuth: true, clientAuth: true });
}

function issue(
  authority: Pick<Authority, 'cert' | 'key'>,
  hosts: readonly [string, ...string[]],
  uses: { serverAuth: true; clientAuth?: true },
): Promise<ServerCertificate> {
  return generate(
    hosts[0],
    SERVER_DAYS,
    [
      { name: 'basicConstraints', cA: false, critical: true },
      { name: 'keyUsage', digitalSignature: true, critical: true },
      { name: 'extKeyUsage', ...uses },
      {
        name: 'subjectAltName',
        altNames: hosts.map((host) =>
          isIP(host) ? { type: 7 as const, ip: host } : { type: 2 as const, value: host },
        ),
      },
    ],
    authority,
  );
}

type Extensions = NonNullable<
  NonNullable<Parameters<typeof import('selfsigned').generate>[1]>['extensions']
>;

async function generate(
  name: string,
  days: number,
  extensions: Extensions,
  issuer?: Pick<Authority, 'cert' | 'key'>,
): Promise<ServerCertificate> {
  // Loaded only when there is something to make: it costs more than the certificate.
  const { generate: make } = await import('selfsigned');
  const now_ms = Date.now();
  const made = await make([{ name: 'commonName', value: name }], {
    algorithm: 'sha256',
    keyType: 'ec',
    curve: 'P-256',
    // A little into the past, for clocks that are behind.
    notBeforeDate: new Date(now_ms - DAY_MS),
    notAfterDate: new Date(now_ms + (days - 1) * DAY_MS),
    extensions,
    ...(issuer ? { ca: { cert: issuer.cert, key: issuer.key } } : {}),
  });
  return { cert: made.cert, key: made.private };
}
