import { request } from 'undici';
import type { BridgeProcess } from '../support/server.ts';

/** What the bridges that are measured let an operator in with. */
export const opsToken = 'the-operator-of-the-benchmark';

/** Asks as an operator does. @param path from the root. @throws Error when the answer is not 2xx. */
export async function askOps(
  bridge: Pick<BridgeProcess, 'baseUrl'>,
  method: 'GET' | 'POST',
  path: string,
): Promise<unknown> {
  const headers = { authorization: `Bearer ${opsToken}` };
  const { statusCode, body } = await request(new URL(path, bridge.baseUrl), { method, headers });
  const text = await body.text();
  if (statusCode >= 300) throw new Error(`${method} ${path}: ${statusCode} ${text}`);
  return JSON.parse(text);
}
