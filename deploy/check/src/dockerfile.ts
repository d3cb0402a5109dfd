import { readFileSync } from 'node:fs';
import path from 'node:path';
import { run } from 'dockerfilelint';
import { ROOT } from './kustomize';
import type { Finding } from './manifest';

const FILE = path.join(ROOT, 'deploy/Dockerfile');

/** What dockerfilelint says, and that every base image has a version. */
export function checkDockerfile(content = readFileSync(FILE, 'utf8')): Finding[] {
  const finding = (message: string): Finding => ({ rule: 'dockerfile', title: '', message });
  const linted = run(path.dirname(FILE), content)
    // It takes arguments and stages for images without a tag; that is looked at below.
    .filter(({ rule }) => rule !== 'missing_tag')
    .map(({ line, title, description }) => finding(`line ${line}: ${title} ${description}`));
  return [...linted, ...baseImages(content).flatMap((image) => versionFault(image).map(finding))];
}

function versionFault(image: string): string[] {
  return /:(?!latest(@|$))[\w.-]+(@sha256:[0-9a-f]{64})?$/.test(image)
    ? []
    : [`${image} may be any version`];
}

/** The images that the stages begin with, arguments replaced by their defaults. */
export function baseImages(content: string): string[] {
  const defaults = new Map(
    [...content.matchAll(/^ARG (\w+)=(\S+)$/gm)].map(([, name, value]) => [name, value ?? '']),
  );
  const stages = new Set([...content.matchAll(/^FROM \S+ AS (\S+)$/gm)].map(([, name]) => name));
  return [...content.matchAll(/^FROM (\S+)/gm)]
    .map(([, name = '']) => name.replace(/\$\{(\w+)\}/g, (_, key) => defaults.get(key) ?? ''))
    .filter((name) => !stages.has(name));
}
