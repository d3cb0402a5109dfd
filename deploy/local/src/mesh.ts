import { createPrivateKey, X509Certificate } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { issueServiceCertificate, keepAuthority } from './authority';
import { type ServiceDefinition, serviceOf } from './services';
import { writeWhole } from './whole-file';

const MESH = 'mesh';
/** The authority that is believed beside the one that issues, and is to follow it. */
const NEXT = 'mesh-next';
const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/**
 * Certificates for the services of this data folder, by an authority of their own: whoever has a
 * certificate for something else on this machine is no service. Renewed at each start.
 */
export async function keepMesh(
  data_directory: string,
  services: readonly ServiceDefinition[],
): Promise<string> {
  const mesh = new Mesh(data_directory);
  await mesh.issue(services.map(serviceOf));
  return mesh.directory;
}

/** The authority of the services in a data folder: `ca.pem` has all that are believed, `ca.key` is of the one that issues. */
export class Mesh {
  readonly directory: string;
  private readonly believed_file: string;
  private readonly next: string;

  constructor(private readonly data_directory: string) {
    this.directory = join(data_directory, MESH);
    this.believed_file = join(this.directory, 'ca.pem');
    this.next = join(data_directory, NEXT);
  }

  /** New certificates for all of them; processes that run take theirs up by themselves. */
  async issue(names: readonly string[]): Promise<void> {
    const { key } = await keepAuthority(this.data_directory, MESH);
    const authority = { cert: this.certificateOf(key), key };
    for (const name of new Set(names)) {
      const made = await issueServiceCertificate(authority, [name, 'localhost', '127.0.0.1']);
      writeFileSync(join(this.directory, `${name}.key`), made.key, { mode: 0o600 });
      writeFileSync(join(this.directory, `${name}.pem`), made.cert, { mode: 0o644 });
    }
  }

  /** Makes the authority that follows, or takes the one that was made for a change that was cut off. */
  async believeNextToo(): Promise<void> {
    await keepAuthority(this.data_directory, MESH);
    const next = await keepAuthority(this.data_directory, NEXT);
    this.believe([...this.believed(), next.cert]);
  }

  issueByNext(): void {
    const key = this.nextKey();
    // Thrown where nobody believes it yet.
    this.certificateOf(key);
    writeWhole(join(this.directory, 'ca.key'), key);
  }

  /** Of the authorities that are believed only the one that issues is left. */
  forgetBefore(): void {
    const key = readFileSync(join(this.directory, 'ca.key'), 'utf8');
    if (key !== this.nextKey())
      throw new Error('The authority that is to follow does not issue yet.');
    this.believe([this.certificateOf(key)]);
    rmSync(this.next, { recursive: true });
  }

  private nextKey(): string {
    const file = join(this.next, 'ca.key');
    if (!existsSync(file)) throw new Error('No authority is to follow.');
    return readFileSync(file, 'utf8');
  }

  private certificateOf(key: string): string {
    const private_key = createPrivateKey(key);
    const found = this.believed().find((pem) =>
      new X509Certificate(pem).checkPrivateKey(private_key),
    );
    if (found === undefined) throw new Error('Nobody believes the authority of that key.');
    return found;
  }

  private believed(): string[] {
    return certificatesOf(readFileSync(this.believed_file, 'utf8'));
  }

  private believe(certificates: readonly string[]): void {
    const texts = certificates.map((text) => `${text.trim()}\n`);
    writeWhole(this.believed_file, [...new Set(texts)].join(''));
  }
}

function certificatesOf(pem: string): string[] {
  return pem.match(CERTIFICATE) ?? [];
}
