import { LIVENESS, startHealthServer } from './health-server';
import { checkHealth } from './probe';

describe('a probe of the health server', () => {
  it('tells living from serving, and nobody from both', async () => {
    const server = await startHealthServer('127.0.0.1:0');
    const address = `127.0.0.1:${server.port}`;
    try {
      expect(await checkHealth(address, LIVENESS)).toBe(true);
      expect(await checkHealth(address, '')).toBe(false);
      server.setServing(true);
      expect(await checkHealth(address, '')).toBe(true);
      await expect(checkHealth(address, 'unknown')).rejects.toThrow('NOT_FOUND');
    } finally {
      server.close();
    }
    await expect(checkHealth(address, LIVENESS)).rejects.toThrow();
  });
});
