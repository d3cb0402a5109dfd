import type { Clients } from '../clients';
import { type HandlersOf, present } from '../handler';

/** Test data for those who integrate. */
export function sandboxRoutes({
  reporting,
}: Clients): HandlersOf<'createPersona' | 'clearSandbox'> {
  return {
    createPersona: async ({ ctx, body }) => {
      const { subject, ...persona } = await reporting.createPersona(ctx, body);
      return { ...persona, subject: present(subject) };
    },
    clearSandbox: ({ ctx }) => reporting.clearSandbox(ctx, {}),
  };
}
