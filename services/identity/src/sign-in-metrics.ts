import { metrics } from '@opentelemetry/api';

/** How a sign-in ended. */
export type SignInOutcome = 'succeeded' | 'failed' | 'throttled';

export interface SignInMetrics {
  record(outcome: SignInOutcome): void;
  /** An account is guessed at from more addresses than its person has. */
  recordSpreadGuessing(): void;
}

/** Counts sign-ins. Each counter is shown from the start: an alert sees no rise from nothing. */
export function openSignInMetrics(): SignInMetrics {
  const meter = metrics.getMeter('@credit/identity');
  const sign_ins = meter.createCounter('sign_ins', { description: 'Sign-ins by outcome.' });
  const guessed = meter.createCounter('sign_ins.guessed_accounts', {
    description: 'Accounts whose failed sign-ins in 15 minutes went beyond LOGIN_FAILURES_SPREAD.',
  });
  for (const outcome of ['succeeded', 'failed', 'throttled']) sign_ins.add(0, { outcome });
  guessed.add(0);
  return {
    record: (outcome) => sign_ins.add(1, { outcome }),
    recordSpreadGuessing: () => guessed.add(1),
  };
}
