import type { Clients } from '../clients';
import { type HandlersOf, present } from '../handler';
import { moveRequest } from './disputes';

type SandboxOperations =
  | 'createPersona'
  | 'openSandboxDispute'
  | 'moveSandboxDispute'
  | 'clearSandbox';

const NOTHING = { accounts: 0, inquiries: 0, subjects: 0 };

/** Test data for those who integrate. */
export function sandboxRoutes({ disputes, reporting }: Clients): HandlersOf<SandboxOperations> {
  return {
    createPersona: async ({ ctx, body }) => {
      const { subject, ...persona } = await reporting.createPersona(ctx, body);
      return { ...persona, subject: present(subject) };
    },
    openSandboxDispute: async ({ ctx, body }) =>
      present((await disputes.openSandboxDispute(ctx, body)).dispute),
    moveSandboxDispute: async ({ ctx, params, body }) => {
      const request = { decision: moveRequest(params.dispute_id, body) };
      return present((await disputes.moveSandboxDispute(ctx, request)).dispute);
    },
    clearSandbox: async ({ ctx }) => {
      // A review that ends has its account to end on.
      const rejected = await disputes.rejectSandboxDisputes(ctx, {});
      const cleared = rejected.done ? await reporting.clearSandbox(ctx, {}) : NOTHING;
      return { done: false, ...cleared, disputes: rejected.disputes };
    },
  };
}
