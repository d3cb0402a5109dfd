import type { CrashPoint } from './crash-points';
import type { Step } from './plan';

/** What a worker does to have a process come by soon; of the others all do that anyway, or a command does. */
const WAYS: Partial<Record<CrashPoint, Partial<Step>>> = {
  'delivery.claimed': { kind: 'event', event_type: 'DEFAULT_REPORTED' },
  'delivery.sent': { kind: 'event', event_type: 'DEFAULT_REPORTED' },
  'dispute.brought_back': { kind: 'contest' },
  'dispute.decided': { kind: 'dispute' },
  'dispute.left_out': { kind: 'contest' },
  'dispute.marked': { kind: 'dispute' },
  'dispute.mended': { kind: 'dispute' },
  'dispute.step_taken': { kind: 'dispute' },
  'import.batch_committed': { kind: 'import' },
  'import.read_through': { kind: 'import' },
  'report.built': { kind: 'report' },
  'report.inquired': { kind: 'report' },
};

/** What of a step is to be otherwise while a point is armed. */
export function wayTo(point: CrashPoint | undefined): Partial<Step> {
  return (point === undefined ? undefined : WAYS[point]) ?? {};
}
