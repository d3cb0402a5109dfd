/** The parts of an OpenAPI document that the reference shows. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly description?: string;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly required?: readonly string[];
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly default?: unknown;
  /** What a closed set of values is called, and what each means. */
  readonly 'x-enum-title'?: string;
  readonly 'x-enumDescriptions'?: Readonly<Record<string, string>>;
}

/** A closed set of values, with all that any field may have of it. */
export interface ValueSet {
  readonly title: string;
  readonly meanings: Readonly<Record<string, string>>;
}

/** One example, or several by name: the first is shown. */
interface Exemplified {
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value?: unknown }>>;
}

export interface Media extends Exemplified {
  readonly schema: Schema;
}

export type Content = Readonly<Record<string, Media>>;

export interface Parameter extends Exemplified {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
}

export interface Answer {
  readonly description: string;
  readonly headers?: Readonly<Record<string, Referable<HeaderDescription>>>;
  readonly content?: Content;
  readonly 'x-error-code'?: string;
  readonly 'x-cure'?: string;
}

/** A cause of errors, as the catalogue explains it. */
export interface ReasonDescription {
  readonly code: string;
  readonly cause: string;
  readonly cure: string;
}

/** An error code with the reasons that come with it. */
export interface FoundError {
  readonly code: string;
  readonly status: string;
  readonly cause: string;
  readonly cure: string;
  readonly example: unknown;
  readonly reasons: readonly (ReasonDescription & { readonly name: string })[];
  /** Operations that can end so. */
  readonly operations: readonly FoundOperation[];
}

export interface HeaderDescription {
  readonly description?: string;
}

interface Reference {
  readonly $ref: string;
}

type Referable<Shape> = Shape | Reference;

export interface DescribedOperation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly security?: readonly Readonly<Record<string, unknown>>[];
  readonly parameters?: readonly Referable<Parameter>[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, Referable<Answer>>>;
  readonly 'x-limit-class'?: string;
  readonly 'x-error-reasons'?: readonly string[];
}

interface RawDocument {
  readonly 'x-error-reasons': Readonly<Record<string, ReasonDescription>>;
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly webhooks: Readonly<Record<string, { readonly post: DescribedOperation }>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly responses: Readonly<Record<string, Answer>>;
    readonly securitySchemes: Readonly<Record<string, { readonly description?: string }>>;
  };
}

const METHODS: readonly string[] = ['get', 'post', 'put', 'patch', 'delete'];

/** An operation with its parts resolved. */
export interface FoundOperation {
  readonly id: string;
  /** In capitals. */
  readonly method: string;
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  /** Names of the security schemes of which one is needed; empty when none is. */
  readonly security: readonly string[];
  readonly limit_class: string | undefined;
  readonly parameters: readonly Parameter[];
  readonly body: Media | undefined;
  /** A file that it takes in place of a body; undefined when it takes none. */
  readonly upload: Upload | undefined;
  readonly answers: readonly FoundAnswer[];
  /** Names of the reasons that it can give. */
  readonly reasons: readonly string[];
}

/** A file as it is sent: an example, and all types that it can have. */
export interface Upload {
  readonly type: string;
  readonly text: string;
  readonly types: readonly string[];
}

function uploadOf(content: Content = {}): Upload | undefined {
  for (const [type, { example }] of Object.entries(content)) {
    if (type !== 'application/json' && typeof example === 'string') {
      return { type, text: example, types: Object.keys(content) };
    }
  }
  return undefined;
}

export interface FoundAnswer {
  readonly status: string;
  readonly description: string;
  readonly headers: readonly { readonly name: string; readonly description: string }[];
  readonly media: Media | undefined;
  readonly content_types: readonly string[];
  readonly error_code: string | undefined;
}

/** The first example of something, if it has one. */
export function exampleOf({ example, examples }: Exemplified): unknown {
  return example ?? Object.values(examples ?? {})[0]?.value;
}

/** An OpenAPI document to ask questions. */
export class OpenApiDocument {
  readonly #raw: RawDocument;

  constructor(document: Record<string, unknown>) {
    this.#raw = document as unknown as RawDocument;
  }

  get title(): string {
    return this.#raw.info.title;
  }

  get version(): string {
    return this.#raw.info.version;
  }

  get description(): string {
    return this.#raw.info.description;
  }

  /** What every path begins with. */
  get base_path(): string {
    return this.#raw.servers[0]?.url ?? '';
  }

  get tags(): RawDocument['tags'] {
    return this.#raw.tags;
  }

  get schemas(): RawDocument['components']['schemas'] {
    return this.#raw.components.schemas;
  }

  get security_schemes(): RawDocument['components']['securitySchemes'] {
    return this.#raw.components.securitySchemes;
  }

  /** Every closed set that says what its values mean, by title. */
  valueSets(): ValueSet[] {
    const found = new Map<string, Record<string, string>>();
    const visit = (node: unknown): void => {
      if (typeof node !== 'object' || node === null) return;
      const { 'x-enum-title': title, 'x-enumDescriptions': meanings } = node as Schema;
      if (title !== undefined) {
        const known = found.get(title) ?? {};
        found.set(title, { ...known, ...meanings });
        // In the order of whoever has most of them.
        if (Object.keys(meanings ?? {}).length > Object.keys(known).length) {
          found.set(title, { ...meanings });
        }
      }
      for (const value of Object.values(node)) visit(value);
    };
    visit(this.#raw);
    return [...found]
      .map(([title, meanings]) => ({ title, meanings }))
      .sort((a, b) => (a.title < b.title ? -1 : 1));
  }

  /** The causes of errors, by name. */
  get reasons(): Readonly<Record<string, ReasonDescription>> {
    return this.#raw['x-error-reasons'];
  }

  /** Every error code, by status, with its reasons and whose it can be. */
  errors(): FoundError[] {
    const operations = this.operations();
    return Object.values(this.#raw.components.responses)
      .flatMap((answer): FoundError[] => {
        const { description, content, 'x-error-code': code, 'x-cure': cure } = answer;
        if (code === undefined || cure === undefined) return [];
        const able = operations.filter(({ answers }) =>
          answers.some(({ error_code }) => error_code === code),
        );
        const status = able[0]?.answers.find(({ error_code }) => error_code === code)?.status ?? '';
        const reasons = Object.entries(this.reasons)
          .filter(([, reason]) => reason.code === code)
          .map(([name, reason]) => ({ name, ...reason }));
        const media = content?.['application/json'];
        const example = media === undefined ? undefined : exampleOf(media);
        return [{ code, status, cause: description, cure, example, reasons, operations: able }];
      })
      .sort((a, b) => (a.status < b.status ? -1 : 1));
  }

  operations(): FoundOperation[] {
    return Object.entries(this.#raw.paths).flatMap(([path, item]) =>
      Object.entries(item)
        .filter(([method]) => METHODS.includes(method))
        .map(([method, operation]) =>
          this.#found(method.toUpperCase(), path, operation as DescribedOperation),
        ),
    );
  }

  /** What receivers are sent; the path is the event's name. */
  events(): FoundOperation[] {
    return Object.entries(this.#raw.webhooks).map(([name, { post }]) =>
      this.#found('POST', name, post),
    );
  }

  #found(method: string, path: string, operation: DescribedOperation): FoundOperation {
    const { operationId, tags, summary, description, security = [] } = operation;
    return {
      id: operationId,
      method,
      path,
      tag: tags[0] ?? '',
      summary,
      description,
      security: security.flatMap((scheme) => Object.keys(scheme)),
      limit_class: operation['x-limit-class'],
      parameters: (operation.parameters ?? []).map((parameter) => this.#resolved(parameter)),
      body: operation.requestBody?.content['application/json'],
      upload: uploadOf(operation.requestBody?.content),
      answers: Object.entries(operation.responses).map(([status, answer]) =>
        this.#answer(status, this.#resolved(answer)),
      ),
      reasons: operation['x-error-reasons'] ?? [],
    };
  }

  #answer(
    status: string,
    { description, headers = {}, content = {}, 'x-error-code': error_code }: Answer,
  ): FoundAnswer {
    return {
      status,
      description,
      headers: Object.entries(headers).map(([name, header]) => ({
        name,
        description: this.#resolved(header).description ?? '',
      })),
      media: content['application/json'],
      content_types: Object.keys(content),
      error_code,
    };
  }

  #resolved<Shape extends object>(value: Referable<Shape>): Shape {
    if (!('$ref' in value)) return value;
    const steps = value.$ref.replace(/^#\//, '').split('/');
    let found: unknown = this.#raw;
    for (const step of steps) found = (found as Record<string, unknown> | undefined)?.[step];
    if (found === undefined) throw new Error(`The OpenAPI document has no ${value.$ref}.`);
    return found as Shape;
  }
}
