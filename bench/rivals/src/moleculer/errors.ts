import { Errors } from 'moleculer';
import { asRefused, Refused } from '../shared/refused.ts';

const TYPE = 'REFUSED';

/** Runs an action; what it refuses goes to its caller as an error of the framework's kind. */
export async function refusing<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Errors.MoleculerError) throw error;
    const { status, code, message } = asRefused(error);
    throw new Errors.MoleculerError(message, status, TYPE, { code });
  }
}

/** What the gateway makes of it. */
export function refusalOf(error: unknown): Refused {
  const { type, code, message, data } = error as {
    type?: string;
    code?: number;
    message?: string;
    data?: { code?: string };
  };
  if (type === TYPE && code !== undefined) {
    return new Refused(code, data?.code ?? 'INTERNAL_ERROR', message ?? '');
  }
  if (code === 404) return new Refused(404, 'NOT_FOUND', 'There is no such route.');
  if (code === 400) return new Refused(400, 'BAD_REQUEST', 'The request could not be read.');
  return asRefused(error);
}
