/** What a caller is told when a request is not carried out. */
export class Refused extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

/** The body of such an answer. */
export function errorBody({ code, message }: Refused, request_id: string): string {
  return JSON.stringify({ error: { code, message, request_id } });
}

/** Anything that was not thrown on purpose tells the caller nothing. */
export function asRefused(error: unknown): Refused {
  if (error instanceof Refused) return error;
  console.error(error);
  return new Refused(500, 'INTERNAL_ERROR', 'Something went wrong here.');
}
