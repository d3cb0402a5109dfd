import type { AuthContext } from '@grpc/grpc-js/build/src/auth-context';

/**
 * What each caller may call, by a DNS name of its certificate: `'all'`, or full method paths
 * (`/credit.reporting.v1.ReportingService/GetSubject`). Who is not named may call nothing.
 */
export type CallerRules = Readonly<Record<string, 'all' | readonly string[]>>;

/** Decides on callers. */
export class CallerPolicy {
  readonly #all = new Set<string>();
  readonly #methods = new Map<string, ReadonlySet<string>>();

  constructor(rules: CallerRules) {
    for (const [caller, methods] of Object.entries(rules)) {
      if (methods === 'all') this.#all.add(caller);
      else this.#methods.set(caller, new Set(methods));
    }
  }

  /** True when one of the caller's names may call the method. */
  allows(callers: readonly string[], path: string): boolean {
    return callers.some(
      (caller) => this.#all.has(caller) || this.#methods.get(caller)?.has(path) === true,
    );
  }
}

/** The DNS names in the certificate that a call came with; none on plain text. */
export function callersOf(call: { getAuthContext(): AuthContext | null }): string[] {
  return namesOf(call.getAuthContext()?.sslPeerCertificate);
}

/** The DNS names of a certificate. */
export function namesOf(certificate: { subjectaltname?: string } | undefined): string[] {
  const names = certificate?.subjectaltname ?? '';
  return names.split(', ').flatMap((name) => (name.startsWith('DNS:') ? [name.slice(4)] : []));
}
