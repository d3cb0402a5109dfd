import { spawnSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { deliveryHeaders, sign } from './signature';

interface Vector {
  name: string;
  secret: string;
  timestamp: string;
  body: string;
  signature: string;
}

const FILE = path.resolve(__dirname, '../../../../docs/guides/webhook-vectors.json');
const { vectors } = JSON.parse(readFileSync(FILE, 'utf8')) as { vectors: Vector[] };

// Written as a receiver would, with nothing but the standard library.
const PYTHON_RECEIVER = `
import hashlib, hmac, json, sys
for v in json.load(open(sys.argv[1], encoding='utf-8'))['vectors']:
    signed = (v['timestamp'] + '.' + v['body']).encode('utf-8')
    digest = hmac.new(v['secret'].encode('utf-8'), signed, hashlib.sha256).hexdigest()
    canonical = json.dumps(json.loads(v['body']), sort_keys=True, separators=(',', ':'), ensure_ascii=False)
    print(v['name'], hmac.compare_digest('v1=' + digest, v['signature']), canonical == v['body'], sep='|')
`;

const GUIDE = path.resolve(__dirname, '../../../../docs/guides/webhooks.md');

/** The guide's example in a language. */
function example(language: string): string {
  const fence = new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``);
  const code = fence.exec(readFileSync(GUIDE, 'utf8'))?.[1];
  if (code === undefined) throw new Error(`The guide has no example in ${language}.`);
  return code;
}

/** Runs a program that prints what its `verify` says of each vector, right and altered. */
function verdicts(command: string, args: string[]): string[] | undefined {
  const run = spawnSync(command, args, { encoding: 'utf8' });
  // Where the language is not installed there is nothing to show.
  if (run.error !== undefined) return undefined;
  expect(run.stderr).toBe('');
  return run.stdout.trim().toLowerCase().split('\n');
}

describe("the guide's examples", () => {
  const all = vectors.flatMap(() => ['true', 'false']);

  test('JavaScript', () => {
    const program = `${example('js')}
      for (const v of require(process.argv[1]).vectors) {
        console.log(verify(v.secret, v.timestamp, v.body, v.signature));
        console.log(verify(v.secret, v.timestamp, v.body + ' ', v.signature));
      }`;
    expect(verdicts(process.execPath, ['-e', program, FILE])).toEqual(all);
  });

  test('Python', () => {
    const program = `${example('python')}
import json, sys
for v in json.load(open(sys.argv[1], encoding='utf-8'))['vectors']:
    print(verify(v['secret'], v['timestamp'], v['body'].encode(), v['signature']))
    print(verify(v['secret'], v['timestamp'], v['body'].encode() + b' ', v['signature']))`;
    expect(verdicts('python3', ['-c', program, FILE]) ?? all).toEqual(all);
  });

  test('Java', () => {
    const program = `class Receiver {
      ${example('java')}
      static String text(String base64) {
        return new String(bytes(base64), java.nio.charset.StandardCharsets.UTF_8);
      }
      static byte[] bytes(String base64) {
        return java.util.Base64.getDecoder().decode(base64);
      }
      public static void main(String[] v) throws Exception {
        for (int i = 0; i < v.length; i += 4) {
          byte[] body = bytes(v[i + 2]);
          byte[] longer = java.util.Arrays.copyOf(body, body.length + 1);
          System.out.println(verify(text(v[i]), text(v[i + 1]), body, text(v[i + 3])));
          System.out.println(verify(text(v[i]), text(v[i + 1]), longer, text(v[i + 3])));
        }
      }
    }`;
    const folder = mkdtempSync(path.join(tmpdir(), 'receiver-'));
    try {
      const file = path.join(folder, 'Receiver.java');
      writeFileSync(file, program);
      const fields = vectors.flatMap((v) => [v.secret, v.timestamp, v.body, v.signature]);
      const args = fields.map((field) => Buffer.from(field).toString('base64'));
      expect(verdicts('java', [file, ...args]) ?? all).toEqual(all);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }, 60_000);
});

describe('signature', () => {
  test.each(vectors)('$name: matches the published vector', (vector) => {
    expect(sign(vector.secret, Number(vector.timestamp), vector.body)).toBe(vector.signature);
    const digest = createHmac('sha256', Buffer.from(vector.secret, 'utf8'))
      .update(Buffer.from(`${vector.timestamp}.${vector.body}`, 'utf8'))
      .digest('hex');
    expect(vector.signature).toBe(`v1=${digest}`);
  });

  test("Python's standard library verifies every vector and makes the same canonical text", () => {
    const python = spawnSync('python3', ['-c', PYTHON_RECEIVER, FILE], {
      encoding: 'utf8',
      env: { ...process.env, PYTHONIOENCODING: 'utf-8' },
    });
    // Where there is no Python, the vectors stand verified by Node alone.
    if (python.error !== undefined) return;
    expect(python.stderr).toBe('');
    expect(python.stdout.trim().split('\n')).toEqual(
      vectors.map((vector) => `${vector.name}|True|True`),
    );
  });

  test('depends on every part of what is signed', () => {
    const [vector] = vectors;
    if (vector === undefined) throw new Error('There are no vectors.');
    const timestamp_s = Number(vector.timestamp);
    expect(sign(`${vector.secret}x`, timestamp_s, vector.body)).not.toBe(vector.signature);
    expect(sign(vector.secret, timestamp_s + 1, vector.body)).not.toBe(vector.signature);
    expect(sign(vector.secret, timestamp_s, `${vector.body} `)).not.toBe(vector.signature);
  });

  test('the headers carry the time in seconds, the event and the signature', () => {
    const headers = deliveryHeaders({
      secret: 'whsec_x',
      event_id: 'an-event',
      body: '{}',
      now_ms: 1_772_366_400_999,
    });
    expect(headers).toEqual({
      'Svc-Timestamp': '1772366400',
      'Svc-Event-ID': 'an-event',
      'Svc-Signature': sign('whsec_x', 1_772_366_400, '{}'),
      'Content-Type': 'application/json',
      'User-Agent': 'credit-network-webhooks/1',
    });
  });
});
