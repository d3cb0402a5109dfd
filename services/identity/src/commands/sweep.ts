import type { Sweep } from '@credit/platform/runtime';
import { sweepAttempts } from '../store/attempts';
import { sweepRateCounters } from '../store/authorization';
import { sweepSessions } from '../store/sessions';

/** What is over: counters of past windows, tokens and sessions past their end. */
export const SWEEPS: readonly Sweep[] = [sweepRateCounters, sweepAttempts, sweepSessions];
