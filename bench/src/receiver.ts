import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { issueServerCertificate } from '@credit/local/authority';

/** A receiver in another process. */
export interface CountingReceiver {
  readonly url: string;
  /** The authority of its certificate, in PEM. */
  readonly ca: string;
  count(): Promise<number>;
  stop(): void;
}

/** Starts a receiver that a system trusts. */
export async function startCountingReceiver(data_directory: string): Promise<CountingReceiver> {
  const folder = path.join(data_directory, 'authority');
  const ca = readFileSync(path.join(folder, 'ca.pem'), 'utf8');
  const authority = { cert: ca, key: readFileSync(path.join(folder, 'ca.key'), 'utf8') };
  const file = path.join(data_directory, 'bench-receiver.json');
  writeFileSync(file, JSON.stringify(await issueServerCertificate(authority, ['127.0.0.1'])), {
    mode: 0o600,
  });
  const child = fork(path.join(__dirname, 'receiver-process.js'), [file]);
  const { port } = await answerOf<{ port: number }>(child);
  return {
    url: `https://127.0.0.1:${port}`,
    ca,
    async count() {
      child.send('count');
      return (await answerOf<{ count: number }>(child)).count;
    },
    stop: () => void child.kill(),
  };
}

async function answerOf<Answer>(child: ChildProcess): Promise<Answer> {
  const [answer] = await once(child, 'message');
  return answer as Answer;
}
