import type { Worker } from '@credit/platform/runtime';
import { type MailDependencies, sendDueMail } from '../commands/send-due-mail';

/** How long a mail of another process, or one whose pause is over, may go unnoticed. */
const POLL_MS = 5_000;

/** Sends what is due, one mail after the other: invitations are few. */
export class MailWorker implements Worker {
  readonly name = 'mails';
  readonly #deps: MailDependencies;
  readonly #poll_ms: number;
  #stopping = false;
  #woken = false;
  #wakeUp: () => void = () => {};
  #running: Promise<void> = Promise.resolve();

  constructor(deps: MailDependencies, poll_ms = POLL_MS) {
    this.#deps = deps;
    this.#poll_ms = poll_ms;
  }

  start(): void {
    this.#running = this.#run();
  }

  /** A mail was committed. */
  wake(): void {
    this.#woken = true;
    this.#wakeUp();
  }

  /** Finishes the mail in hand, which its timeouts bound. */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.wake();
    await this.#running;
    this.#deps.mailer.close();
  }

  async #run(): Promise<void> {
    while (!this.#stopping) {
      this.#woken = false;
      try {
        while (!this.#stopping && (await sendDueMail(this.#deps))) {
          // Until nothing is due.
        }
      } catch (error) {
        this.#deps.logger.warn({ err: error }, 'mails cannot be sent');
      }
      await this.#pause();
    }
  }

  #pause(): Promise<void> {
    if (this.#woken) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, this.#poll_ms);
      this.#wakeUp = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
