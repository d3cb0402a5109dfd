import { generate } from 'selfsigned';

/** A certificate with its key and, when it is not self-signed, who signed it. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

/** A certificate authority of a test's own. */
export async function makeAuthority(): Promise<Certificate> {
  const made = await generate([{ name: 'commonName', value: 'test authority' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
    ],
  });
  return { cert: made.cert, key: made.private };
}

/** A server certificate for loopback and `names`; self-signed without an authority. */
export async function makeCertificate(
  names: readonly string[],
  authority?: Certificate,
): Promise<Certificate> {
  const made = await generate([{ name: 'commonName', value: names[0] ?? 'receiver' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    extensions: [
      { name: 'basicConstraints', cA: false },
      {
        name: 'subjectAltName',
        altNames: [
          ...names.map((value) => ({ type: 2 as const, value })),
          { type: 7 as const, ip: '127.0.0.1' },
          { type: 7 as const, ip: '::1' },
        ],
      },
    ],
    ...(authority === undefined ? {} : { ca: { key: authority.key, cert: authority.cert } }),
  });
  return { cert: made.cert, key: made.private };
}
