import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** A folder in which openssl makes authorities and certificates. */
export class CertificateFolder {
  readonly directory = mkdtempSync(path.join(tmpdir(), 'credit-certificates-'));

  file(name: string): string {
    return path.join(this.directory, name);
  }

  authority(name: string): void {
    const subject = ['-subj', `/CN=${name}`, '-keyout', this.file(`${name}.key`)];
    const out = ['-out', this.file(`${name}.crt`)];
    openssl('req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...subject, ...out);
  }

  /** For a service, signed by `issuer`; what the environment says of it when `authority` is believed. */
  certificate(name: string, issuer: string, authority = 'authority'): NodeJS.ProcessEnv {
    const base = this.file(`${name}-${issuer}`);
    const request = ['-subj', `/CN=${name}`, '-keyout', `${base}.key`, '-out', `${base}.csr`];
    openssl('req', '-newkey', 'rsa:2048', '-nodes', ...request);
    writeFileSync(`${base}.ext`, `subjectAltName=DNS:${name},DNS:localhost`);
    const keys = ['-CA', this.file(`${issuer}.crt`), '-CAkey', this.file(`${issuer}.key`)];
    const extensions = ['-extfile', `${base}.ext`, '-out', `${base}.crt`];
    openssl('x509', '-req', '-in', `${base}.csr`, ...keys, '-CAcreateserial', ...extensions);
    return {
      TLS_CERT_FILE: `${base}.crt`,
      TLS_KEY_FILE: `${base}.key`,
      TLS_CA_FILE: this.file(`${authority}.crt`),
    };
  }

  /** A file of several authorities, as whoever believes all of them has. */
  bundle(name: string, ...authorities: string[]): void {
    const texts = authorities.map((authority) => readFileSync(this.file(`${authority}.crt`)));
    writeFileSync(this.file(`${name}.crt`), Buffer.concat(texts));
  }

  remove(): void {
    rmSync(this.directory, { recursive: true });
  }
}

function openssl(...args: string[]): void {
  execFileSync('openssl', args, { stdio: 'pipe' });
}
