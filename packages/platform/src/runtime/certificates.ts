import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { experimental } from '@grpc/grpc-js';
import { ConfigError } from '../core';
import type { Logger } from './logger';

type CaListener = experimental.CaCertificateUpdateListener;
type IdentityListener = experimental.IdentityCertificateUpdateListener;

/** Where a process's certificate, its key and the authority that it believes are kept. */
export interface CertificateFiles {
  readonly cert_file: string;
  readonly key_file: string;
  readonly ca_file: string;
}

/** What the files hold, as PEM. */
export interface CertificateSet {
  readonly cert: Buffer;
  readonly key: Buffer;
  readonly ca: Buffer;
}

/**
 * A process's certificate, read again at an interval: a renewed one is shown on new connections,
 * and those that are open go on. What does not fit together (a renewal under way, a broken file)
 * is passed over; the last good set stays.
 */
export class Certificates implements experimental.CertificateProvider {
  private set: CertificateSet;
  private leaf: X509Certificate;
  private readonly ca_listeners = new Set<CaListener>();
  private readonly identity_listeners = new Set<IdentityListener>();
  private readonly listeners = new Set<(set: CertificateSet) => void>();

  /** Throws a {@link ConfigError} when the files cannot be used. */
  constructor(
    private readonly files: CertificateFiles,
    options: { readonly reload_ms: number; readonly logger?: Pick<Logger, 'info' | 'warn'> },
  ) {
    this.set = readSet(files);
    this.leaf = leafOf(this.set);
    setInterval(() => this.reload(options.logger), options.reload_ms).unref();
  }

  get current(): CertificateSet {
    return this.set;
  }

  /** How many authorities it believes: more than one while one follows another. */
  get authorities(): number {
    return certificatesOf(this.set.ca).length;
  }

  get expires_at_ms(): number {
    return this.leaf.validToDate.getTime();
  }

  /** Told of each renewal. */
  onChange(listener: (set: CertificateSet) => void): void {
    this.listeners.add(listener);
  }

  private reload(logger: Pick<Logger, 'info' | 'warn'> | undefined): void {
    try {
      const set = readSet(this.files);
      if (sameSet(set, this.set)) return;
      this.leaf = leafOf(set);
      this.set = set;
      logger?.info(
        { expires_at: this.leaf.validToDate.toISOString(), authorities: this.authorities },
        'certificate renewed',
      );
    } catch (error) {
      logger?.warn({ err: error }, 'the renewed certificate cannot be used yet');
      return;
    }
    for (const listener of this.ca_listeners) listener(this.caUpdate());
    for (const listener of this.identity_listeners) listener(this.identityUpdate());
    for (const listener of this.listeners) listener(this.set);
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
    return { caCertificate: this.set.ca };
  }

  private identityUpdate() {
    return { certificate: this.set.cert, privateKey: this.set.key };
  }
}

function readSet({ cert_file, key_file, ca_file }: CertificateFiles): CertificateSet {
  const set = {
    cert: read('TLS_CERT_FILE', cert_file),
    key: read('TLS_KEY_FILE', key_file),
    ca: read('TLS_CA_FILE', ca_file),
  };
  let fits: boolean;
  let believed: boolean;
  try {
    fits = leafOf(set).checkPrivateKey(createPrivateKey(set.key));
    believed = isBelieved(certificatesOf(set.cert), certificatesOf(set.ca));
  } catch {
    throw new ConfigError('TLS_CERT_FILE, TLS_KEY_FILE or TLS_CA_FILE does not hold PEM.');
  }
  if (!fits) throw new ConfigError('The key of TLS_KEY_FILE is not the one of TLS_CERT_FILE.');
  if (!believed) {
    throw new ConfigError(
      'No authority of TLS_CA_FILE has issued the certificate of TLS_CERT_FILE.',
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
function leafOf({ cert }: CertificateSet): X509Certificate {
  return new X509Certificate(cert);
}

function sameSet(one: CertificateSet, other: CertificateSet): boolean {
  return one.cert.equals(other.cert) && one.key.equals(other.key) && one.ca.equals(other.ca);
}

function read(name: string, file: string): Buffer {
  try {
    return readFileSync(file);
  } catch {
    throw new ConfigError(`The file that ${name} names cannot be read.`);
  }
}
