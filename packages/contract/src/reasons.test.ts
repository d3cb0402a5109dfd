import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseSync } from '@swc/core';
import { errorsOf } from './openapi';
import type { Operation } from './operation';
import { operations } from './operations';
import { ERROR_REASONS, type ErrorReason, reasonsOf } from './reasons';

const ROOT = path.resolve(__dirname, '../../..');
const ERRORS_MODULE = /(^|\/)errors$/;

/** The sources that may give an error: of every service and package, without tests. */
function sources(): string[] {
  return ['services', 'packages'].flatMap((folder) =>
    readdirSync(path.join(ROOT, folder)).flatMap((name) => {
      const directory = path.join(ROOT, folder, name, 'src');
      return readdirSync(directory, { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
        .map((file) => path.join(directory, file));
    }),
  );
}

type Node = Readonly<Record<string, unknown>> & { readonly type?: string };

/** A part of a program and all that is in it. */
function* nodesIn(node: unknown): Generator<Node> {
  if (typeof node !== 'object' || node === null) return;
  if (!Array.isArray(node)) yield node as Node;
  for (const value of Object.values(node)) yield* nodesIn(value);
}

function nameOf(node: unknown): string {
  return String((node as { value?: unknown } | undefined)?.value ?? '');
}

/** The words in capitals that a call is given as `reason`. */
function reasonsIn(call: Node): string[] {
  return [...nodesIn(call.arguments)]
    .filter(({ type, key }) => type === 'KeyValueProperty' && nameOf(key) === 'reason')
    .flatMap(({ value }) => [...nodesIn(value)])
    .filter(({ type }) => type === 'StringLiteral')
    .map(nameOf)
    .filter((word) => /^[A-Z][A-Z0-9_]+$/.test(word));
}

/** What the functions and classes of the errors' module are given as reasons, in one file. */
function reasonsGiven(file: string): string[] {
  const text = readFileSync(file, 'utf8');
  if (!text.includes('reason')) return [];
  const { body } = parseSync(text, { syntax: 'typescript', target: 'es2024' });
  const makers = new Set(
    body
      .filter((item) => item.type === 'ImportDeclaration')
      .filter(({ source }) => ERRORS_MODULE.test(source.value))
      .flatMap(({ specifiers }) => specifiers.map(({ local }) => local.value)),
  );
  // Of a class that extends one of theirs, too.
  const isMaker = (callee: unknown) =>
    makers.has(nameOf(callee)) || (callee as Node | undefined)?.type === 'Super';
  return [...nodesIn(body)]
    .filter(({ type, callee }) => /^(Call|New)Expression$/.test(type ?? '') && isMaker(callee))
    .flatMap(reasonsIn);
}

test('every reason that the code gives is in the catalogue, and no other', () => {
  const given = new Set(sources().flatMap(reasonsGiven));
  expect([...given].sort()).toEqual(Object.keys(ERROR_REASONS).sort());
});

test.each(Object.entries<ErrorReason>(ERROR_REASONS))(
  '%s has an operation that gives it, which declares its code',
  (name, { by, code, cause, cure }) => {
    const able = (Object.values(operations) as unknown as Operation[]).filter(by);
    expect(able).not.toEqual([]);
    for (const operation of able) {
      expect(errorsOf(operation)).toContain(code);
      expect(reasonsOf(operation)).toContain(name);
    }
    for (const sentence of [cause, cure]) expect(sentence).toMatch(/^[A-Z`].*\.$/);
  },
);
