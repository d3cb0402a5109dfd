import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { issueServiceCertificate, keepAuthority } from './authority';
import { type ServiceDefinition, serviceOf } from './services';

const MESH = 'mesh';

/**
 * Certificates for the services of this data folder, by an authority of their own: whoever has a
 * certificate for something else on this machine is no service. Renewed at each start.
 */
export async function keepMesh(
  data_directory: string,
  services: readonly ServiceDefinition[],
): Promise<string> {
  const authority = await keepAuthority(data_directory, MESH);
  const directory = join(data_directory, MESH);
  for (const name of new Set(services.map(serviceOf))) {
    const { cert, key } = await issueServiceCertificate(authority, [
      name,
      'localhost',
      '127.0.0.1',
    ]);
    writeFileSync(join(directory, `${name}.key`), key, { mode: 0o600 });
    writeFileSync(join(directory, `${name}.pem`), cert, { mode: 0o644 });
  }
  return directory;
}
