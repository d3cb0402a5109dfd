import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { readJson } from './data-directory';
import { OperatorError } from './operator-error';
import { databasesOf, keepSecrets, secretVariables } from './secrets';
import { SERVICES, type ServiceDefinition, serviceEnvironment } from './services';
import { readSettings } from './settings';
import { RUN_FILE, type RunRecord } from './supervisor';

const ROOT = resolve(__dirname, '../../..');

/**
 * Runs a service's subcommand against the system that runs on DATA_DIR, with the environment that the service
 * itself has there. Where the services' own environment is set already, as in a cluster, it is simply passed
 * on. Returns its exit code.
 */
export async function runServiceCommand(name: string, args: readonly string[]): Promise<number> {
  const service = SERVICES.find((candidate) => candidate.name === name);
  if (!service) throw new OperatorError(`There is no service ${JSON.stringify(name)}.`);
  const env = process.env.RPC_ADDRESS ? process.env : await localEnvironment(service);
  const child = spawn(process.execPath, [join(ROOT, service.main), ...args], {
    cwd: ROOT,
    env,
    stdio: 'inherit',
  });
  const [code] = await once(child, 'exit');
  return typeof code === 'number' ? code : 1;
}

async function localEnvironment(service: ServiceDefinition): Promise<NodeJS.ProcessEnv> {
  const { data_directory } = readSettings(process.env, ROOT);
  const run = readJson<RunRecord>(join(data_directory, RUN_FILE));
  if (!run) {
    throw new OperatorError(
      `No system runs on ${data_directory}: start it with \`npm start\`, or name its folder with DATA_DIR.`,
    );
  }
  const secrets = keepSecrets(data_directory);
  return {
    ...serviceEnvironment(service, {
      inherited: process.env,
      ports: run.ports,
      mesh_directory: run.mesh_directory,
      databases: databasesOf(run.admin_url, secrets),
      nats_urls: run.nats_urls,
      secrets: {
        ...secretVariables(secrets, process.env),
        PERSON_OIDC_CLIENT_SECRET: '',
        BOOTSTRAP_EMAIL: '',
        BOOTSTRAP_PASSWORD: '',
      },
      authority_file: '',
    }),
    // A command listens nowhere.
    ...(service.documents ? { HTTP_ADDRESS: '127.0.0.1:0' } : {}),
    LOG_LEVEL: process.env.LOG_LEVEL ?? 'warn',
  };
}
