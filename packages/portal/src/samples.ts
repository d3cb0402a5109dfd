import { exampleOf, type FoundOperation } from './openapi-document';

/** The languages of samples, in the order of the switch. */
export const LANGUAGES = [
  { id: 'curl', label: 'curl', highlight: 'bash' },
  { id: 'node', label: 'Node', highlight: 'javascript' },
  { id: 'python', label: 'Python', highlight: 'python' },
  { id: 'java', label: 'Java', highlight: 'java' },
  { id: 'go', label: 'Go', highlight: 'go' },
  { id: 'csharp', label: 'C#', highlight: 'csharp' },
] as const;

export type LanguageId = (typeof LANGUAGES)[number]['id'];

/** What stands in a sample until the page's script knows better. */
export const SAMPLE_ORIGIN = 'https://credit-network.example';
const CREDENTIALS: Readonly<Record<string, string>> = {
  apiKey: 'svc_test_your_key',
  userToken: 'svc_at_your_token',
  disputeToken: 'svc_dt_your_token',
  personToken: 'svc_pt_your_token',
};

/** What to write in place of the examples, to run a sample against a network. */
export interface SampleValues {
  /** With the base path. */
  readonly base?: string;
  readonly credential?: string;
  /** By the name of the parameter, wherever it goes. */
  readonly parameters?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Of an operation that takes a file. */
  readonly file?: string;
}

interface SampleRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: unknown;
  /** What is sent as it is, in place of a body. */
  readonly file: string | undefined;
  /** The answer is a document to keep. */
  readonly is_download: boolean;
}

/** The operation's request in one language, as a program that can be run. */
export function sampleOf(
  operation: FoundOperation,
  language: LanguageId,
  base_path: string,
  values: SampleValues = {},
): string {
  return WRITERS[language](requestOf(operation, base_path, values));
}

function requestOf(
  operation: FoundOperation,
  base_path: string,
  values: SampleValues,
): SampleRequest {
  const { method, path, security, parameters, body, upload, answers } = operation;
  let route = path;
  const query = new URLSearchParams();
  const headers: (readonly [string, string])[] = [];
  const [scheme] = security;
  if (scheme !== undefined) {
    headers.push(['Authorization', `Bearer ${values.credential ?? CREDENTIALS[scheme]}`]);
  }
  for (const parameter of parameters) {
    const { name, in: place } = parameter;
    const value = values.parameters?.[name] ?? exampleOf(parameter);
    if (value === undefined) continue;
    const text = String(value);
    if (place === 'path') route = route.replace(`{${name}}`, encodeURIComponent(text));
    if (place === 'query') query.set(name, text);
    if (place === 'header') headers.push([name, text]);
  }
  if (body !== undefined) headers.push(['Content-Type', 'application/json']);
  if (upload !== undefined) headers.push(['Content-Type', upload.type]);
  const search = query.size === 0 ? '' : `?${query}`;
  const success = answers.find(({ status }) => status.startsWith('2'));
  return {
    method,
    url: `${values.base ?? `${SAMPLE_ORIGIN}${base_path}`}${route}${search}`,
    headers,
    body: body === undefined ? undefined : (values.body ?? exampleOf(body) ?? {}),
    file: upload && (values.file ?? upload.text),
    is_download:
      success !== undefined && success.content_types.length > 0 && success.media === undefined,
  };
}

const WRITERS: Readonly<Record<LanguageId, (request: SampleRequest) => string>> = {
  curl: curlSample,
  node: nodeSample,
  python: pythonSample,
  java: javaSample,
  go: goSample,
  csharp: csharpSample,
};

/** Where a document goes. */
const DOWNLOAD = 'document';

function jsonText(value: unknown, indent = ''): string {
  return JSON.stringify(value, null, 2).replaceAll('\n', `\n${indent}`);
}

function lines(...parts: readonly (string | false | readonly string[])[]): string {
  return `${parts
    .flat()
    .filter((part) => part !== false)
    .join('\n')}\n`;
}

// ---- curl

function shellText(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function curlSample({ method, url, headers, body, file, is_download }: SampleRequest): string {
  const implied = body === undefined && file === undefined ? 'GET' : 'POST';
  const parts = [
    `curl --fail-with-body ${method === implied ? '' : `-X ${method} `}${shellText(url)}`,
    ...headers.map(([name, value]) => `  -H ${shellText(`${name}: ${value}`)}`),
  ];
  if (body !== undefined) parts.push(`  -d ${shellText(jsonText(body))}`);
  if (file !== undefined) parts.push(`  --data-binary ${shellText(file.trimEnd())}`);
  if (is_download) parts.push(`  -o ${DOWNLOAD}`);
  return `${parts.join(' \\\n')}\n`;
}

// ---- Node

const JS_NAME = /^[A-Za-z_$][\w$]*$/;

function jsText(text: string): string {
  return `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}

function jsLiteral(value: unknown, indent: string): string {
  if (typeof value === 'string') return jsText(value);
  if (typeof value !== 'object' || value === null) return String(value);
  const inner = `${indent}  `;
  const items = Array.isArray(value)
    ? value.map((item) => jsLiteral(item, inner))
    : Object.entries(value).map(
        ([name, item]) => `${JS_NAME.test(name) ? name : jsText(name)}: ${jsLiteral(item, inner)}`,
      );
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  if (items.length === 0) return `${open}${close}`;
  return `${open}\n${items.map((item) => `${inner}${item},\n`).join('')}${indent}${close}`;
}

function nodeSample({ method, url, headers, body, file, is_download }: SampleRequest): string {
  const options: string[] = [];
  if (method !== 'GET') options.push(`  method: '${method}',`);
  if (headers.length > 0) {
    options.push(`  headers: ${jsLiteral(Object.fromEntries(headers), '  ')},`);
  }
  if (body !== undefined) options.push(`  body: JSON.stringify(${jsLiteral(body, '  ')}),`);
  if (file !== undefined) options.push(`  body: ${jsText(file)},`);
  const call = options.length === 0 ? `${jsText(url)});` : `${jsText(url)}, {`;
  return lines(
    is_download && ["import { writeFile } from 'node:fs/promises';", ''],
    `const response = await fetch(${call}`,
    options,
    options.length > 0 && '});',
    'if (!response.ok) throw new Error(await response.text());',
    is_download
      ? `await writeFile('${DOWNLOAD}', Buffer.from(await response.arrayBuffer()));`
      : 'console.log(response.status, await response.text());',
  );
}

// ---- Python

function pythonLiteral(value: unknown, indent: string): string {
  if (value === null || value === undefined) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value !== 'object') return JSON.stringify(value);
  const inner = `${indent}    `;
  const items = Array.isArray(value)
    ? value.map((item) => pythonLiteral(item, inner))
    : Object.entries(value).map(
        ([name, item]) => `${JSON.stringify(name)}: ${pythonLiteral(item, inner)}`,
      );
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  if (items.length === 0) return `${open}${close}`;
  return `${open}\n${items.map((item) => `${inner}${item},\n`).join('')}${indent}${close}`;
}

function pythonSample({ method, url, headers, body, file, is_download }: SampleRequest): string {
  return lines(
    body !== undefined && 'import json',
    ['import sys', 'import urllib.error', 'import urllib.request', ''],
    'request = urllib.request.Request(',
    `    ${JSON.stringify(url)},`,
    `    method="${method}",`,
    headers.length > 0 && `    headers=${pythonLiteral(Object.fromEntries(headers), '    ')},`,
    body !== undefined && `    data=json.dumps(${pythonLiteral(body, '    ')}).encode(),`,
    file !== undefined && `    data=${JSON.stringify(file)}.encode(),`,
    ')',
    'try:',
    '    with urllib.request.urlopen(request, timeout=15) as response:',
    is_download
      ? [
          `        with open("${DOWNLOAD}", "wb") as file:`,
          '            file.write(response.read())',
        ]
      : '        print(response.status, response.read().decode())',
    'except urllib.error.HTTPError as error:',
    '    sys.exit(f"{error.code} {error.read().decode()}")',
  );
}

// ---- Java

function javaSample({ method, url, headers, body, file, is_download }: SampleRequest): string {
  const publisher =
    file !== undefined
      ? `HttpRequest.BodyPublishers.ofString(${JSON.stringify(file)})`
      : body === undefined
        ? 'HttpRequest.BodyPublishers.noBody()'
        : `HttpRequest.BodyPublishers.ofString("""\n            ${jsonText(body, '            ').replaceAll('\\', '\\\\')}\n            """)`;
  return lines(
    [
      'import java.net.URI;',
      'import java.net.http.HttpClient;',
      'import java.net.http.HttpRequest;',
      'import java.net.http.HttpResponse;',
    ],
    is_download && 'import java.nio.file.Path;',
    '',
    'public class Sample {',
    '  public static void main(String[] args) throws Exception {',
    `    var request = HttpRequest.newBuilder(URI.create(${JSON.stringify(url)}))`,
    headers.map(
      ([name, value]) => `        .header(${JSON.stringify(name)}, ${JSON.stringify(value)})`,
    ),
    `        .method("${method}", ${publisher})`,
    '        .build();',
    '    var response = HttpClient.newHttpClient()',
    `        .send(request, HttpResponse.BodyHandlers.${is_download ? `ofFile(Path.of("${DOWNLOAD}"))` : 'ofString()'});`,
    '    System.out.println(response.statusCode() + " " + response.body());',
    '  }',
    '}',
  );
}

// ---- Go

function goText(text: string): string {
  return text.includes('`') ? JSON.stringify(text) : `\`${text}\``;
}

function goSample({ method, url, headers, body, file, is_download }: SampleRequest): string {
  const sent = file ?? (body === undefined ? undefined : jsonText(body));
  const given = sent === undefined ? 'nil' : `strings.NewReader(${goText(sent)})`;
  const check = ['\tif err != nil {', '\t\tlog.Fatal(err)', '\t}'];
  return lines(
    ['package main', '', 'import ('],
    !is_download && '\t"fmt"',
    ['\t"io"', '\t"log"', '\t"net/http"'],
    is_download && '\t"os"',
    sent !== undefined && '\t"strings"',
    [')', '', 'func main() {'],
    `\trequest, err := http.NewRequest("${method}", ${JSON.stringify(url)}, ${given})`,
    check,
    headers.map(
      ([name, value]) => `\trequest.Header.Set(${JSON.stringify(name)}, ${JSON.stringify(value)})`,
    ),
    '\tresponse, err := http.DefaultClient.Do(request)',
    check,
    ['\tdefer response.Body.Close()', '\tanswer, err := io.ReadAll(response.Body)'],
    check,
    [
      '\tif response.StatusCode >= 300 {',
      '\t\tlog.Fatalf("%s %s", response.Status, answer)',
      '\t}',
    ],
    is_download
      ? [
          `\tif err := os.WriteFile("${DOWNLOAD}", answer, 0o600); err != nil {`,
          '\t\tlog.Fatal(err)',
          '\t}',
        ]
      : '\tfmt.Println(response.Status, string(answer))',
    '}',
  );
}

// ---- C#

function csharpSample({ method, url, headers, body, file, is_download }: SampleRequest): string {
  const name = `${method.charAt(0)}${method.slice(1).toLowerCase()}`;
  const own = headers.filter(([header]) => header !== 'Content-Type');
  const type = headers.find(([header]) => header === 'Content-Type')?.[1] ?? '';
  return lines(
    (body !== undefined || file !== undefined) && ['using System.Text;', ''],
    'using var client = new HttpClient();',
    `using var request = new HttpRequestMessage(HttpMethod.${name}, ${JSON.stringify(url)});`,
    own.map(
      ([header, value]) =>
        `request.Headers.Add(${JSON.stringify(header)}, ${JSON.stringify(value)});`,
    ),
    body !== undefined && [
      'request.Content = new StringContent("""',
      `    ${jsonText(body, '    ')}`,
      '    """, Encoding.UTF8, "application/json");',
    ],
    file !== undefined &&
      `request.Content = new StringContent(${JSON.stringify(file)}, Encoding.UTF8, ${JSON.stringify(type)});`,
    'using var response = await client.SendAsync(request);',
    is_download
      ? [
          'response.EnsureSuccessStatusCode();',
          `await File.WriteAllBytesAsync("${DOWNLOAD}", await response.Content.ReadAsByteArrayAsync());`,
        ]
      : [
          'var answer = await response.Content.ReadAsStringAsync();',
          'if (!response.IsSuccessStatusCode) throw new Exception(answer);',
          'Console.WriteLine($"{(int)response.StatusCode} {answer}");',
        ],
  );
}
