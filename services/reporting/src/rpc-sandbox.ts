// What there is for test keys alone.

import { command, type Database } from '@credit/platform/db';
import { type Handlers, keyedWrite } from '@credit/platform/rpc';
import { specified } from '@credit/platform/values';
import * as wire from '@credit/proto/reporting/v1/reporting';
import type { CommandDeps } from './commands/batch';
import { clearSandbox } from './commands/clear-sandbox';
import { createPersona } from './commands/create-persona';
import { subjectMessage } from './messages';
import { locateSandboxEvent } from './queries/locate-sandbox-event';

type SandboxHandlers = Pick<
  Handlers<typeof wire.ReportingServiceDefinition>,
  'createPersona' | 'clearSandbox' | 'locateSandboxEvent'
>;

const { methods } = wire.ReportingServiceDefinition;
const DAY_S = 86_400;

/** Handlers of the sandbox. */
export function sandboxHandlers(deps: CommandDeps & { readonly db: Database }): SandboxHandlers {
  return {
    createPersona: (ctx, request) => {
      const write = keyedWrite(methods.createPersona, DAY_S);
      return command(deps.db, ctx, write, request, async (tx) => {
        const persona = specified(request.persona);
        const made = await createPersona(tx, deps, ctx, { ...request, persona });
        return {
          ...made,
          subject: subjectMessage(made.subject),
          own_account_ids: [...made.own_account_ids],
        };
      });
    },
    locateSandboxEvent: (ctx, request) => locateSandboxEvent(deps.db, ctx, request),
    clearSandbox: (ctx) => clearSandbox(deps.db, deps, ctx),
  };
}
