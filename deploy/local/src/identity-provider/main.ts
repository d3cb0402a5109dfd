// An OpenID Connect provider for one's own machine and for tests, in the place of a network's own. It
// asks nobody for a password: whoever reaches it, which is this machine alone, says who it is.

import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Provider } from 'oidc-provider';

const MAX_FORM_BYTES = 4_096;
const INTERACTION = /^\/interaction\/[\w-]{1,64}$/;

/** Where it is told what it is. */
const { PORT, ISSUER = '', CLIENT_ID = '', CLIENT_SECRET = '', REDIRECT_URI = '' } = process.env;

const signing = generateKeyPairSync('rsa', { modulusLength: 2_048 });

const provider = new Provider(ISSUER, {
  clients: [
    {
      client_id: CLIENT_ID,
      client_secret: CLIENT_SECRET,
      redirect_uris: [REDIRECT_URI],
      grant_types: ['authorization_code'],
      response_types: ['code'],
    },
  ],
  jwks: { keys: [{ ...signing.privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256' }] },
  cookies: { keys: [randomBytes(32).toString('base64url')] },
  features: { devInteractions: { enabled: false } },
  pkce: { required: () => true },
  interactions: { url: (_, { uid }) => `/interaction/${uid}` },
  findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
  // Its one client is the network itself: there is nothing to consent to.
  async loadExistingGrant(ctx) {
    const { client, session, provider: of } = ctx.oidc;
    const grant = new of.Grant({ clientId: client?.clientId, accountId: session?.accountId });
    grant.addOIDCScope('openid');
    await grant.save();
    return grant;
  },
});
const answer = provider.callback();

createServer((request, response) => {
  if (!INTERACTION.test(request.url ?? '')) {
    void answer(request, response);
    return;
  }
  const done = request.method === 'POST' ? signIn(request, response) : ask(request, response);
  done.catch((error) => fail(response, error));
}).listen(Number(PORT), '127.0.0.1', () => process.stdout.write('The provider is ready.\n'));

/** Asks who it is. */
async function ask(request: IncomingMessage, response: ServerResponse): Promise<void> {
  await provider.interactionDetails(request, response);
  response.writeHead(200, {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    // Where the form leads on to is checked by browsers as well.
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
  });
  response.end(PAGE);
}

async function signIn(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const form = new URLSearchParams(await textOf(request));
  const accountId = form.get('account')?.trim() ?? '';
  if (accountId === '') {
    await ask(request, response);
    return;
  }
  await provider.interactionFinished(request, response, { login: { accountId } });
}

async function textOf(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of request as AsyncIterable<Buffer>) {
    bytes += piece.length;
    if (bytes > MAX_FORM_BYTES) throw new Error('The form is too large.');
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

function fail(response: ServerResponse, error: unknown): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  response.writeHead(400, { 'content-type': 'text/plain; charset=utf-8' });
  response.end(error instanceof Error ? error.message : 'It did not work.');
}

const PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Sign in</title>
<style>
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 24rem; margin: 15vh auto 0; padding: 1.5rem; }
input, button { font: inherit; box-sizing: border-box; width: 100%; padding: 0.6rem; margin-top: 0.5rem; }
</style>
<main>
<h1>Sign in</h1>
<p>This stands in for the identity provider of a network. It is on your machine alone and asks for no password:
say whose <code>game_uuid</code> you have.</p>
<form method="post">
<label for="account">game_uuid</label>
<input id="account" name="account" autocomplete="off" required>
<button>Sign in</button>
</form>
</main>
</html>
`;
