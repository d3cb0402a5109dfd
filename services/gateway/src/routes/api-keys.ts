import type { ApiKey } from '@credit/proto/identity/v1/identity';
import type { Clients } from '../clients';
import { type HandlersOf, present } from '../handler';

type ApiKeyOperations = 'createApiKey' | 'listApiKeys' | 'revokeApiKey' | 'rotateApiKey';

function withSecret({ api_key, secret }: { api_key: ApiKey | undefined; secret: string }) {
  return { ...present(api_key), secret };
}

export function apiKeyRoutes({ identity }: Clients): HandlersOf<ApiKeyOperations> {
  return {
    createApiKey: async ({ ctx, body }) => withSecret(await identity.createApiKey(ctx, body)),
    listApiKeys: async ({ ctx, query }) => {
      const { api_keys, next_cursor } = await identity.listApiKeys(ctx, query);
      return { items: api_keys, next_cursor };
    },
    revokeApiKey: async ({ ctx, params }) => {
      await identity.revokeApiKey(ctx, params);
    },
    rotateApiKey: async ({ ctx, params }) => withSecret(await identity.rotateApiKey(ctx, params)),
  };
}
