import { X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { keepMesh, Mesh } from './mesh';
import { SERVICES } from './services';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mesh-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const PEM = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;
const read = (name: string) => readFileSync(join(folder, 'mesh', name), 'utf8');
const believed = () => (read('ca.pem').match(PEM) ?? []).map((pem) => new X509Certificate(pem));
const issuers = () => {
  const shown = new X509Certificate(read('scoring.pem'));
  return believed().map((authority) => shown.verify(authority.publicKey));
};

it('has one authority follow another, and certificates of the one that is believed', async () => {
  await keepMesh(folder, SERVICES);
  const [old] = believed();
  expect(issuers()).toEqual([true]);

  const mesh = new Mesh(folder);
  await mesh.believeNextToo();
  expect(issuers()).toEqual([true, false]);
  expect(() => mesh.forgetBefore()).toThrow('does not issue yet');
  // A start in between, or a change that is begun anew, changes nothing.
  await keepMesh(folder, SERVICES);
  await mesh.believeNextToo();
  expect(issuers()).toEqual([true, false]);

  mesh.issueByNext();
  expect(issuers()).toEqual([true, false]);
  await mesh.issue(['scoring']);
  expect(issuers()).toEqual([false, true]);
  await keepMesh(folder, SERVICES);
  expect(issuers()).toEqual([false, true]);

  mesh.forgetBefore();
  expect(issuers()).toEqual([true]);
  expect(believed()[0]?.fingerprint256).not.toBe(old?.fingerprint256);
  expect(believed()[0]?.subject).not.toBe(old?.subject);
});

it('refuses to have an authority follow that nobody believes yet', async () => {
  await keepMesh(folder, SERVICES);
  const mesh = new Mesh(folder);
  expect(() => mesh.issueByNext()).toThrow('No authority is to follow');
  expect(() => mesh.forgetBefore()).toThrow('No authority is to follow');
  expect(believed()).toHaveLength(1);
});
