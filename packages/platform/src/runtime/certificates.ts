import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { experimental } from '@grpc/grpc-js';
import { ConfigError } from '../core';
import type { Logger } from './logger';

type CaListener = experimental.CaCertificateUpdateListener;
type IdentityListener = experimental.IdentityCertificateUpdateListener;

/** A certificate and its key, as PEM. */
export interface KeyPair {
  readonly cert: Buffer;
  readonly key: Buffer;
}

/** And the authorities that whoever shows it believes. */
export interface CertificateSet extends KeyPair {
  readonly ca: Buffer;
}

/** A variable of the environment that names a file, and what it names. */
export interface NamedFile {
  readonly variable: string;
  readonly file: string;
}

export interface ReloadOptions {
  readonly reload_ms: number;
  readonly logger?: Pick<Logger, 'info' | 'warn'>;
}

/**
 * A certificate that is read again at an interval: a renewed one is shown on new connections,
 * and those that are open go on. What does not fit together (a renewal under way, a broken file)
 * is passed over; the last good set stays.
 */
export class ReloadedCertificate<Pair extends KeyPair = KeyPair> {
  private set: Pair;
  private leaf: X509Certificate;
  private readonly listeners = new Set<(set: Pair) => void>();

  /** `read` throws a {@link ConfigError} when the files cannot be used. */
  constructor(
    private readonly read: () => Pair,
    options: ReloadOptions,
  ) {
    this.set = read();
    this.leaf = leafOf(this.set);
    setInterval(() => this.reload(options.logger), options.reload_ms).unref();
  }

  get current(): Pair {
    return this.set;
  }

  get expires_at_ms(): number {
    return this.leaf.validToDate.getTime();
  }

  /** Told of each renewal. */
  onChange(listener: (set: Pair) => void): void {
    this.listeners.add(listener);
  }

  private reload(logger: ReloadOptions['logger']): void {
    try {
      const set = this.read();
      if (samePair(set, this.set)) return;
      this.leaf = leafOf(set);
      this.set = set;
      logger?.info(
        { subject: this.leaf.subject, expires_at: this.leaf.validToDate.toISOString() },
        'certificate renewed',
      );
    } catch (error) {
      logger?.warn({ err: error }, 'the renewed certificate cannot be used yet');
      return;
    }
    for (const listener of this.listeners) listener(this.set);
  }
}

/** A process's certificate between services, and whom it believes. */
export class Certificates
  extends ReloadedCertificate<CertificateSet>
  implements experimental.CertificateProvider
{
  private readonly ca_listeners = new Set<CaListener>();
  private readonly identity_listeners = new Set<IdentityListener>();

  constructor(
    files: { readonly cert: NamedFile; readonly key: NamedFile; readonly ca: NamedFile },
    options: ReloadOptions,
  ) {
    super(() => readSet(files.cert, files.key, files.ca), options);
    this.onChange(() => {
      for (const listener of this.ca_listeners) listener(this.caUpdate());
      for (const listener of this.identity_listeners) listener(this.identityUpdate());
    });
  }

  /** How many authorities it believes: more than one while one follows another. */
  get authorities(): number {
    return certificatesOf(this.current.ca).length;
  }

  // --- For gRPC ---

  addCaCertificateListener(listener: CaListener): void {
    this.ca_listeners.add(listener);
    process.nextTick(() => listener(this.caUpdate()));
  }

  removeCaCertificateListener(listener: CaListener): void {
    this.ca_listeners.delete(listener);
  }

  addIdentityCertificateListener(listener: IdentityListener): void {
    this.identity_listeners.add(listener);
    process.nextTick(() => listener(this.identityUpdate()));
  }

  removeIdentityCertificateListener(listener: IdentityListener): void {
    this.identity_listeners.delete(listener);
  }

  private caUpdate() {
    return { caCertificate: this.current.ca };
  }

  private identityUpdate() {
    const { cert, key } = this.current;
    return { certificate: cert, privateKey: key };
  }
}

/** Throws a {@link ConfigError} in one sentence when the files do not hold a certificate and its key. */
export function readPair(cert: NamedFile, key: NamedFile): KeyPair {
  const pair = { cert: read(cert), key: read(key) };
  let fits: boolean;
  try {
    fits = leafOf(pair).checkPrivateKey(createPrivateKey(pair.key));
  } catch {
    throw new ConfigError(`${cert.variable} or ${key.variable} does not hold PEM.`);
  }
  if (!fits) {
    throw new ConfigError(`The key of ${key.variable} is not the one of ${cert.variable}.`);
  }
  return pair;
}

function readSet(cert: NamedFile, key: NamedFile, ca: NamedFile): CertificateSet {
  const set = { ...readPair(cert, key), ca: read(ca) };
  let believed: boolean;
  try {
    believed = isBelieved(certificatesOf(set.cert), certificatesOf(set.ca));
  } catch {
    throw new ConfigError(`${ca.variable} does not hold PEM.`);
  }
  if (!believed) {
    throw new ConfigError(
      `No authority of ${ca.variable} has issued the certificate of ${cert.variable}.`,
    );
  }
  return set;
}

const BEGIN = '-----BEGIN CERTIFICATE-----';
const END = '-----END CERTIFICATE-----';

/** Of a file with one or several, as of a chain or of authorities while one follows another. */
function certificatesOf(pem: Buffer): X509Certificate[] {
  const found = pem.toString('latin1').split(END);
  // What follows the last one is none.
  found.pop();
  if (found.length === 0) throw new Error('There is no certificate.');
  return found.map((text) => new X509Certificate(`${text.slice(text.lastIndexOf(BEGIN))}${END}`));
}

/**
 * Whether one of the authorities has issued the chain. The others are told to believe the same ones:
 * who would not believe its own certificate shows what its peers refuse. So an authority that is
 * changed in the wrong order changes nothing.
 */
function isBelieved(
  chain: readonly X509Certificate[],
  authorities: readonly X509Certificate[],
): boolean {
  const issued = (one: X509Certificate, by: X509Certificate | undefined) =>
    by !== undefined && one.checkIssued(by) && one.verify(by.publicKey);
  for (const [index, one] of chain.entries()) {
    if (authorities.some((authority) => issued(one, authority))) return true;
    if (!issued(one, chain[index + 1])) return false;
  }
  return false;
}

/** The first of the chain: its owner's. */
function leafOf({ cert }: KeyPair): X509Certificate {
  return new X509Certificate(cert);
}

function samePair(one: KeyPair & { ca?: Buffer }, other: KeyPair & { ca?: Buffer }): boolean {
  const same_authorities =
    one.ca === other.ca || (other.ca !== undefined && one.ca?.equals(other.ca) === true);
  return one.cert.equals(other.cert) && one.key.equals(other.key) && same_authorities;
}

function read({ variable, file }: NamedFile): Buffer {
  try {
    return readFileSync(file);
  } catch {
    throw new ConfigError(`The file that ${variable} names cannot be read.`);
  }
}
