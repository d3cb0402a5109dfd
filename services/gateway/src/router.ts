import { BASE_PATH, type Operation } from '@credit/contract';

/** A place in the tree of paths: what may come next. */
interface Node {
  readonly literals: Map<string, Node>;
  parameter: Node | undefined;
  /** By method: the operations that end here. */
  readonly operations: Map<string, Route>;
}

interface Route {
  readonly operation: Operation;
  /** In the order of the path. */
  readonly parameter_names: readonly string[];
}

/** An operation and what its path's parameters are. */
export interface Match {
  readonly operation: Operation;
  readonly params: Readonly<Record<string, string>>;
  /** True when a parameter's percent-encoding is broken: 400, once the caller is known. */
  readonly malformed: boolean;
}

const NO_PARAMS: Readonly<Record<string, string>> = Object.freeze({});

function newNode(): Node {
  return { literals: new Map(), parameter: undefined, operations: new Map() };
}

/**
 * Finds the operation of a method and a path: exactly, with no second spelling
 * (case, trailing slash, empty segment), and GET does not answer HEAD.
 */
export class Router {
  readonly #root = newNode();
  /** Paths without parameters are found in one step. */
  readonly #exact = new Map<string, Match>();

  constructor(operations: Iterable<Operation>) {
    for (const operation of operations) this.#add(operation);
  }

  #add(operation: Operation): void {
    const parameter_names: string[] = [];
    let node = this.#root;
    for (const segment of operation.path.slice(1).split('/')) {
      if (segment.startsWith('{')) {
        parameter_names.push(segment.slice(1, -1));
        node.parameter ??= newNode();
        node = node.parameter;
      } else {
        let next = node.literals.get(segment);
        if (next === undefined) {
          next = newNode();
          node.literals.set(segment, next);
        }
        node = next;
      }
    }
    node.operations.set(operation.method, { operation, parameter_names });
    if (parameter_names.length === 0) {
      const match = { operation, params: NO_PARAMS, malformed: false };
      this.#exact.set(`${operation.method} ${BASE_PATH}${operation.path}`, match);
    }
  }

  /** `path` as it stands in the request line, without the query. */
  find(method: string, path: string): Match | undefined {
    const exact = this.#exact.get(`${method} ${path}`);
    if (exact !== undefined) return exact;
    if (!path.startsWith(`${BASE_PATH}/`)) return undefined;
    const segments = path.slice(BASE_PATH.length + 1).split('/');
    // Undecodable segments stay in the list: they can still stand for a parameter.
    const decoded = path.includes('%') ? segments.map(decodeSegment) : segments;
    return this.#walk(this.#root, decoded, 0, [], method);
  }

  #walk(
    node: Node,
    segments: readonly (string | undefined)[],
    at: number,
    values: readonly (string | undefined)[],
    method: string,
  ): Match | undefined {
    if (at === segments.length) {
      const route = node.operations.get(method);
      return route === undefined ? undefined : toMatch(route, values);
    }
    const segment = segments[at];
    if (segment !== undefined) {
      const literal = node.literals.get(segment);
      const found = literal && this.#walk(literal, segments, at + 1, values, method);
      if (found !== undefined) return found;
    }
    if (node.parameter === undefined || segment === '') return undefined;
    return this.#walk(node.parameter, segments, at + 1, [...values, segment], method);
  }
}

function decodeSegment(segment: string): string | undefined {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}

function toMatch({ operation, parameter_names }: Route, values: readonly (string | undefined)[]) {
  const params: Record<string, string> = {};
  let malformed = false;
  for (const [index, name] of parameter_names.entries()) {
    const value = values[index];
    if (value === undefined) malformed = true;
    else params[name] = value;
  }
  return { operation, params, malformed };
}
