import { beforeAll, expect, test, vi } from 'vitest';
import type { JsonObject } from '../../src/domain/json.ts';
import { startTestBridge } from '../support/bridge.ts';
import { forSuite } from '../support/lifetimes.ts';
import { sendRaw } from '../support/send-raw.ts';

const bridge = forSuite(async () => {
  // As elsewhere: in tests Express is silent by itself.
  vi.stubEnv('NODE_ENV', 'production');
  return startTestBridge({ onLog: (line) => void log.push(line) });
});
const log: JsonObject[] = [];
beforeAll(async () => {
  vi.unstubAllEnvs();
});

test.each([
  ['POST', '/console/session', '{"token": "a-secret-of-somebody"', 400],
  ['POST', '/console/session', 'x\n{"level":"info","msg":"forged"}', 400],
  ['POST', '/console/session', '"a-secret-of-somebody"', 400],
  ['POST', '/console/session', `{"token": "${'x'.repeat(5_000)}"}`, 413],
  ['GET', '/console/assets/%ff', undefined, 400],
  ['GET', '/console/%e0%a4%a', undefined, 400],
  ['POST', '/ops/tokens/%ff/revoke', '{}', 401],
  ['GET', '/scim/v2/Users/%ff', undefined, 400],
  ['POST', '/oauth/token', '%', 401],
] as const)(
  '%s %s with %s is answered with JSON, and nothing of it is written anywhere',
  async (method, path, body, status) => {
    const written = vi.spyOn(process.stderr, 'write');
    const told = vi.spyOn(console, 'error').mockReturnValue();
    const answer = await sendRaw(bridge, {
      ...{ method, path: new URL(path, bridge.baseUrl).href },
      ...(body === undefined ? {} : { body }),
      headers: {
        'x-scim-bridge-console': '1',
        'content-type': path.startsWith('/oauth')
          ? 'application/x-www-form-urlencoded'
          : 'application/json',
      },
    });
    const isSilent = written.mock.calls.length === 0 && told.mock.calls.length === 0;
    written.mockRestore();
    told.mockRestore();

    expect(answer.status).toBe(status);
    expect(answer.headers['content-type']).toMatch(/json/);
    expect(answer.text).not.toMatch(/<html|node_modules|\n +at /);
    expect(isSilent).toBe(true);
    expect(JSON.stringify(log)).not.toMatch(/a-secret|forged|xxxx/);
  },
);
