import type { Html } from '@credit/pages';
import {
  exampleOf,
  type FoundError,
  type FoundOperation,
  type Media,
  type ValueSet,
} from './openapi-document';
import { sampleOf } from './samples';
import { type Row, rulesText, typeText } from './schema-table';

/** The reference as markdown, for programs and for whoever copies a page. */

const ENTITIES: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
};

function plain(page: Html): string {
  return String(page)
    .replaceAll('</dt>', ': ')
    .split('<')
    .map((part) => part.slice(part.indexOf('>') + 1))
    .join(' ')
    .replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => ENTITIES[entity] ?? '')
    .replace(/\s+/g, ' ')
    .trim();
}

function block(language: string, text: string): string {
  return `\`\`\`${language}\n${text.trimEnd()}\n\`\`\``;
}

function json(media: Media | undefined): string | undefined {
  const example = media === undefined ? undefined : exampleOf(media);
  return example === undefined ? undefined : block('json', JSON.stringify(example, null, 2));
}

/** Fields or parameters, one a line. */
export function fieldLines(rows: readonly Row[]): string {
  return rows
    .map(
      ({ name, schema }) =>
        `- \`${name}\` (${plain(typeText(schema))}) ${plain(rulesText(schema))}`,
    )
    .map((line) => line.trimEnd())
    .join('\n');
}

/** One operation: what it does, takes and answers, and how it can fail. */
export function operationMarkdown(
  operation: FoundOperation,
  base_path: string,
  fields: { readonly parameters: string; readonly body: string; readonly answer: string },
): string {
  const { method, path, summary, description, answers, body, reasons } = operation;
  const success = answers.findLast(({ status, media }) => status.startsWith('2') && media);
  const errors = answers
    .filter(({ status }) => !status.startsWith('2'))
    .map(({ status, error_code = '' }) => `${status} ${error_code}`);
  const parts = [
    `## ${summary}`,
    `\`${method} ${base_path}${path}\``,
    description,
    fields.parameters && `### Parameters\n\n${fields.parameters}`,
    fields.body && `### Body\n\n${fields.body}`,
    body && json(body),
    `### Request\n\n${block('sh', sampleOf(operation, 'curl', base_path))}`,
    success && `### Answer ${success.status}`,
    fields.answer,
    json(success?.media),
    `Errors: ${[...errors, ...reasons].join(', ')}. See /docs/errors.md.`,
  ];
  return parts.filter((part) => part).join('\n\n');
}

export function errorMarkdown({ code, status, cause, cure, reasons }: FoundError): string {
  const own = reasons.map(
    (reason) => `### ${reason.name}\n\n${reason.cause}\n\nWhat to do: ${reason.cure}`,
  );
  return [`## ${status} ${code}`, cause, `What to do: ${cure}`, ...own].join('\n\n');
}

export function valuesMarkdown({ title, meanings }: ValueSet): string {
  const rows = Object.entries(meanings).map(([value, meaning]) => `- \`${value}\`: ${meaning}`);
  return `## ${title}\n\n${rows.join('\n')}`;
}

/** A page of parts under its title. */
export function pageMarkdown(title: string, summary: string, parts: readonly string[]): string {
  return `${[`# ${title}`, summary, ...parts].join('\n\n')}\n`;
}
