import { systemContext } from '@credit/platform/context';
import { Background, type Logger } from '@credit/platform/runtime';
import { observeFigures } from '@credit/platform/telemetry';
import { checkpointAudit } from '../commands/checkpoint-audit';
import type { Dependencies } from '../dependencies';
import { oldestWithoutCheckpoint } from '../store/audit';

/** Signs the audit logs now and then, and shows how long an entry has waited for it. */
export function checkpointWorker(deps: Dependencies, logger: Logger): Background {
  const { clock, config, db } = deps;
  const name = 'audit.checkpoint.oldest_age.seconds';
  // Asked of the database by every replica: it also tells when no worker works at all.
  observeFigures(
    '@credit/identity',
    { [name]: 'How long the oldest entry of an audit log without a checkpoint has waited.' },
    async () => {
      const at = await oldestWithoutCheckpoint(db.read(systemContext('live')));
      return [
        {
          name,
          value: at === undefined ? 0 : Math.max(0, clock.now_ms() - Date.parse(at)) / 1_000,
        },
      ];
    },
  );
  return new Background({
    name: 'audit-checkpoints',
    logger,
    pause_ms: config.AUDIT_CHECKPOINT_POLL_MS,
    // Replicas need not look at once; the turn keeps a checkpoint from being made twice.
    sooner: 0.5,
    work: (isStopping) => checkpointAudit(deps, isStopping),
  });
}
