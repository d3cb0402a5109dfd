import type { Running } from './process';

/** A loop of a service's own, started after and stopped before everything it uses. */
export interface Worker extends Running {
  readonly name: string;
  start(): void;
}
