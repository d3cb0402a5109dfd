import { type Counter, metrics } from '@opentelemetry/api';

let losses: Counter | undefined;

function counter(): Counter {
  losses ??= metrics.getMeter('@credit/platform/bus').createCounter('bus.stream_losses', {
    description: 'How often the stream was found without events that it had acknowledged.',
  });
  return losses;
}

/** Says that there were none yet: of a series that begins with its first loss no growth would be seen. */
export function beginCountingLosses(): void {
  counter().add(0);
}

/** The stream was found without events that it had acknowledged. */
export function countLoss(): void {
  counter().add(1);
}
