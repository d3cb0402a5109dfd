import type { CallContext } from '@credit/platform/context';
import { forbidden } from '@credit/platform/errors';

/** The caller's institution; 403 when it acts for none. */
export function institutionOf(ctx: CallContext): string {
  if (ctx.institution_id === '') throw forbidden();
  return ctx.institution_id;
}
