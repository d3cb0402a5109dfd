import Ajv2020, { type ErrorObject, type ValidateFunction } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';

/** Headers by their names in small letters. */
export type HeaderReader = (name: string) => string | null | undefined;

/** A request that was sent and the answer to it. */
export interface Exchange {
  readonly method: string;
  /** Path and query, as sent. */
  readonly target: string;
  /** The body as it was sent; undefined when there was none. */
  readonly request_text?: string | undefined;
  readonly status: number;
  readonly header: HeaderReader;
  /** The answer's body; empty when there is none. */
  readonly text: string;
}

type Json = Record<string, unknown>;

interface Header {
  readonly $ref?: string;
  readonly required?: boolean;
  /** There unless it is a reference. */
  readonly schema?: Json;
}

interface Body {
  readonly content?: Readonly<
    Record<string, { readonly schema: Json; readonly example?: unknown }>
  >;
}

interface Response extends Body {
  readonly $ref?: string;
  readonly headers?: Readonly<Record<string, Header>>;
}

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly (Header & { readonly name: string; readonly in: string })[];
  readonly requestBody?: Body;
  readonly responses: Readonly<Record<string, Response>>;
}

/** The parts of an OpenAPI 3.1 document that are checked against. */
export interface OpenApiDocument {
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly webhooks: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** Under which ajv knows the schemas of the document. */
const SCHEMAS_ID = 'schemas';
const SCHEMAS_POINTER = '#/components/schemas/';
const METHODS = ['get', 'post', 'put', 'patch', 'delete'];
const MAX_FAULTS = 5;

interface Route {
  readonly pattern: RegExp;
  readonly parameter_count: number;
  readonly methods: Readonly<Record<string, Operation>>;
}

/**
 * Holds requests and answers against an OpenAPI document with ajv, a validator
 * that knows nothing of how the document came to be. Stricter than a client may
 * be: a field that the document does not name is a fault, as is a header that
 * some answers may have and this one may not.
 */
export class OpenApiChecker {
  readonly #document: OpenApiDocument;
  readonly #base_path: string;
  readonly #routes: readonly Route[];
  readonly #ajv: Ajv2020;
  readonly #compiled = new Map<Json, ValidateFunction>();
  readonly #header_names: readonly string[];

  constructor(document: OpenApiDocument) {
    this.#document = closed(document) as OpenApiDocument;
    this.#base_path = document.servers[0]?.url ?? '';
    this.#routes = Object.entries(this.#document.paths)
      .map(([template, methods]) => ({
        pattern: new RegExp(`^${template.replace(/\{\w+\}/g, '([^/]+)')}$`),
        parameter_count: template.split('{').length - 1,
        methods,
      }))
      // `/accounts/bulk` before `/accounts/{account_id}`.
      .sort((a, b) => a.parameter_count - b.parameter_count);
    this.#ajv = new Ajv2020({ allErrors: true, strict: true, allowUnionTypes: true });
    this.#ajv.addVocabulary(['x-enum-title', 'x-enumDescriptions']);
    addFormats(this.#ajv);
    this.#ajv.addSchema({ $id: SCHEMAS_ID, $defs: absolute(this.#document.components.schemas) });
    this.#header_names = Object.keys(document.components.headers ?? {});
  }

  /** The operation that a request is for, if it is for one. */
  operationOf(method: string, target: string): Operation | undefined {
    const path = target.split('?', 1)[0] ?? '';
    if (!path.startsWith(`${this.#base_path}/`)) return undefined;
    const rest = path.slice(this.#base_path.length);
    const route = this.#routes.find(({ pattern }) => pattern.test(rest));
    return METHODS.includes(method.toLowerCase())
      ? route?.methods[method.toLowerCase()]
      : undefined;
  }

  /** What is wrong with an answer, and with a request that was accepted; empty when nothing is. */
  faultsOf(exchange: Exchange): string[] {
    const { method, target, status, request_text } = exchange;
    const operation = this.operationOf(method, target);
    if (operation === undefined) return this.#faultsWithoutOperation(exchange);
    const declared = operation.responses[status];
    if (declared === undefined) return [`${operation.operationId} does not declare ${status}`];
    const faults = this.#responseFaults(this.#resolve(declared), exchange);
    if (status >= 300 || request_text === undefined) return faults;
    const unlike = this.#requestFaults(operation, request_text);
    return [...faults, ...unlike.map((fault) => `what was accepted: ${fault}`)];
  }

  /** What is wrong with a delivery of an event. */
  webhookFaults(event_name: string, header: HeaderReader, text: string): string[] {
    const operation = this.#document.webhooks[event_name]?.post;
    if (operation === undefined) return [`${event_name} is not declared`];
    const faults = (operation.parameters ?? []).flatMap((parameter) =>
      this.#headerFaults(parameter.name, parameter, header(parameter.name.toLowerCase())),
    );
    return [...faults, ...this.#requestFaults(operation, text)];
  }

  /** What is wrong with the document's own examples. */
  exampleFaults(): string[] {
    const operations = [
      ...Object.values(this.#document.paths),
      ...Object.values(this.#document.webhooks),
    ].flatMap((methods) => Object.values(methods));
    return operations.flatMap(({ operationId, requestBody, responses }) =>
      [requestBody, ...Object.values(responses).map((response) => this.#resolve(response))]
        .flatMap((body) => Object.values(body?.content ?? {}))
        .filter(({ example }) => example !== undefined)
        .flatMap(({ schema, example }) => this.#valueFaults(schema, example))
        .map((fault) => `an example of ${operationId}: ${fault}`),
    );
  }

  /** Whatever nobody declared is answered with an error, and in its envelope. */
  #faultsWithoutOperation(exchange: Exchange): string[] {
    if (exchange.status < 400) return [`${exchange.status} for what no operation declares`];
    const responses = Object.values(this.#document.components.responses ?? {}) as Response[];
    const [first = ['no response of an error is declared'], ...others] = responses.map((response) =>
      this.#responseFaults(response, exchange),
    );
    return others.reduce((least, faults) => (faults.length < least.length ? faults : least), first);
  }

  #responseFaults(response: Response, { method, header, text }: Exchange): string[] {
    const faults = this.#header_names.flatMap((name) => {
      const reference = response.headers?.[name];
      const value = header(name.toLowerCase());
      if (reference !== undefined) return this.#headerFaults(name, this.#resolve(reference), value);
      return value === null || value === undefined ? [] : [`an undeclared header ${name}`];
    });
    // An answer to HEAD has no body to look at.
    if (method === 'HEAD') return faults;
    return [...faults, ...this.#bodyFaults(response, header('content-type') ?? '', text)];
  }

  #headerFaults(name: string, declared: Header, value: string | null | undefined): string[] {
    if (value === null || value === undefined) {
      return declared.required ? [`no header ${name}`] : [];
    }
    const { schema = {} } = declared;
    const is_number = schema.type === 'integer' && /^-?\d+$/.test(value);
    return this.#valueFaults(schema, is_number ? Number(value) : value).map(
      (fault) => `header ${name}: ${fault}`,
    );
  }

  #bodyFaults({ content }: Response, content_type: string, text: string): string[] {
    if (content === undefined) return text === '' ? [] : ['a body where none is declared'];
    const type = content_type.split(';', 1)[0]?.trim() ?? '';
    const declared = content[type];
    if (declared === undefined) return [`an undeclared content type ${JSON.stringify(type)}`];
    // A document is handed through as it comes.
    if (declared.schema.format === 'binary') return [];
    return this.#textFaults(declared.schema, text);
  }

  /** A body where none is declared has no meaning, and is ignored. */
  #requestFaults({ requestBody }: Operation, text: string): string[] {
    const schema = requestBody?.content?.['application/json']?.schema;
    return schema === undefined ? [] : this.#textFaults(schema, text);
  }

  #textFaults(schema: Json, text: string): string[] {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      return ['a body that is no JSON'];
    }
    return this.#valueFaults(schema, value);
  }

  #valueFaults(schema: Json, value: unknown): string[] {
    let validate = this.#compiled.get(schema);
    if (validate === undefined) {
      validate = this.#ajv.compile(absolute(schema) as Json);
      this.#compiled.set(schema, validate);
    }
    if (validate(value)) return [];
    return (validate.errors ?? []).slice(0, MAX_FAULTS).map(inWords);
  }

  #resolve<T extends { readonly $ref?: string }>(node: T): T {
    if (node.$ref === undefined) return node;
    const [, , kind = '', name = ''] = node.$ref.split('/');
    return this.#document.components[kind]?.[name] as T;
  }
}

function inWords({ instancePath, message, params }: ErrorObject): string {
  return `${instancePath || 'the value'} ${message} ${JSON.stringify(params)}`;
}

/** The document with every object closed that leaves open what else it may hold. */
function closed(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(closed);
  if (typeof node !== 'object' || node === null) return node;
  const result: Json = {};
  for (const [key, value] of Object.entries(node)) {
    result[key] = key === 'example' || key === 'examples' ? value : closed(value);
  }
  const is_schema = typeof result.properties === 'object' && result.type !== undefined;
  if (is_schema && result.additionalProperties === undefined) result.additionalProperties = false;
  return result;
}

/** A schema whose references lead to the document's, wherever it stands itself. */
function absolute(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(absolute);
  if (typeof node !== 'object' || node === null) return node;
  return Object.fromEntries(
    Object.entries(node).map(([key, value]) => [
      key,
      key === '$ref' && typeof value === 'string'
        ? value.replace(SCHEMAS_POINTER, `${SCHEMAS_ID}#/$defs/`)
        : absolute(value),
    ]),
  );
}
