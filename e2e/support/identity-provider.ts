// A person's browser at the provider that runs in local mode.

/** What the provider sends the browser back to the network with. */
export interface CameBack {
  readonly code: string;
  readonly state: string;
  readonly iss?: string;
}

const MOST_STEPS = 10;

/** Signs in as one whose `sub` it is, and follows the provider until it sends the browser back. */
export async function signInAt(authorization_url: string, sub: string): Promise<CameBack> {
  const cookies = new Map<string, string>();
  const provider = new URL(authorization_url).origin;
  const go = async (url: string, form?: Record<string, string>) => {
    const response = await fetch(url, {
      redirect: 'manual',
      method: form === undefined ? 'GET' : 'POST',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(form && { body: new URLSearchParams(form) }),
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [name = '', value = ''] = (cookie.split(';')[0] ?? '').split(/=(.*)/s);
      if (value === '') cookies.delete(name);
      else cookies.set(name, value);
    }
    return response;
  };
  let url = authorization_url;
  for (let step = 0; step < MOST_STEPS; step += 1) {
    if (new URL(url).origin !== provider) {
      return Object.fromEntries(new URL(url).searchParams) as unknown as CameBack;
    }
    const response = await go(
      url,
      step > 0 && url.includes('/interaction/') ? { account: sub } : undefined,
    );
    const next = response.headers.get('location');
    if (next === null) throw new Error(`${url}: ${response.status} ${await response.text()}`);
    url = new URL(next, url).href;
  }
  throw new Error('The provider never came to an end.');
}
