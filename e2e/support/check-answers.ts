// Run before every e2e test file: each answer of the API that a test fetches, by whatever client,
// is held against the published document.
import { checkAnswer, takeFaults } from './answers';

const API = '/api/v1/';
const unchecked = globalThis.fetch;

globalThis.fetch = async (input, init) => {
  const response = await unchecked(input, init);
  const url = new URL(input instanceof Request ? input.url : input);
  if (!url.pathname.startsWith(API)) return response;
  const text = await response.clone().text();
  checkAnswer({
    method: init?.method ?? 'GET',
    target: `${url.pathname}${url.search}`,
    request_text: typeof init?.body === 'string' ? init.body : undefined,
    status: response.status,
    header: (name) => response.headers.get(name),
    text,
  });
  return response;
};

afterEach(() => {
  expect(takeFaults()).toEqual([]);
});
