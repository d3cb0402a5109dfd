import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isAppError } from '@credit/platform/errors';
import express from 'express';
import { fileFormOf } from '../src/file-form';

/** Answers what a form was found to hold, and reads its file to the end. */
const app = express();
app.post('/', async (request, response) => {
  try {
    const form = await fileFormOf(request);
    response.once('finish', () => form.end());
    let content = '';
    for await (const chunk of form.file?.content ?? []) content += chunk;
    response.json([form.fields, form.file?.name ?? null, content]);
  } catch (error) {
    response.json([isAppError(error) ? error.code : String(error)]);
  }
});

let server: Server;
beforeAll(async () => {
  server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const FIELD = '--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n';
const PART = '--b\r\nContent-Disposition: form-data; name="f"; filename=';
const FILE = `${PART}"x.csv"\r\n\r\n`;
const END = '\r\n--b--\r\n';

test.each([
  ['a form', `${FIELD}${FILE}a,b\n1,2${END}`, [{ a: '1' }, 'x.csv', 'a,b\n1,2']],
  ['no file chosen', `${FIELD}${PART}""\r\n\r\n${END}`, [{ a: '1' }, null, '']],
  ['no file field', `${FIELD}--b--\r\n`, [{ a: '1' }, null, '']],
  ['what stands behind the file', `${FILE}1\r\n${FIELD}--b--\r\n`, [{}, 'x.csv', '1']],
  ['two files', `${FILE}1\r\n${FILE}2${END}`, [{}, 'x.csv', '1']],
  ['nothing', '', ['REQUEST_ERROR']],
  ['no form at all', 'zzzz', ['REQUEST_ERROR']],
  ['a field that breaks off', FIELD.slice(0, -2), ['REQUEST_ERROR']],
  ['a file that breaks off', `${FIELD}${FILE}a,b`, ['REQUEST_ERROR']],
  ['a long field', `${FIELD.replace('1', 'x'.repeat(2_001))}${FILE}1${END}`, ['REQUEST_TOO_LARGE']],
  ['many fields', `${FIELD.repeat(21)}${FILE}1${END}`, ['REQUEST_TOO_LARGE']],
])('takes %s for what it is', async (_what, body, expected) => {
  const { port } = server.address() as AddressInfo;
  const answer = await fetch(`http://127.0.0.1:${port}/`, {
    method: 'POST',
    headers: { 'content-type': 'multipart/form-data; boundary=b' },
    body,
  });
  expect(await answer.json()).toEqual(expected);
});
