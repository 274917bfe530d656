import { vi } from 'vitest';
import type { JsonObject, JsonValue } from '../../src/domain/json.ts';
import type { TestAnswer, TestBridge } from './bridge.ts';
import { assertDescribed } from './ops-routes.ts';
import { untilSettled } from './provider.ts';

/** What operators present to a test bridge with these settings. */
export const OPS_TOKEN = 'ops-token-of-a-test-bridge';
/** The machine may be busy. */
const PATIENT = { interval: 25, timeout: 60_000 };

/** Settings with which operators may ask, and a second look is made at once. */
export const SWEEP_SETTINGS = { OPS_TOKEN, DRIFT_SETTLE: '0s' };

/** Sends a request below `/ops`, whose answer has to be as it is described. */
export async function askOps(
  bridge: TestBridge,
  method: 'GET' | 'POST',
  path: string,
  body?: JsonValue,
): Promise<TestAnswer> {
  const url = new URL(`/ops${path}`, bridge.baseUrl).href;
  const type = body === undefined ? {} : { 'content-type': 'application/json' };
  const headers = { authorization: `Bearer ${bridge.opsToken}`, ...type };
  const answer = await bridge.request(method, url, body, headers);
  assertDescribed(method, path, answer);
  return answer;
}

/** Asks for a sweep and waits for its end. */
export async function sweep(
  bridge: TestBridge,
  options: { dryRun?: boolean } = {},
): Promise<JsonObject> {
  await untilSettled(bridge);
  const { body } = await askOps(bridge, 'POST', '/sweeps', { ...options });
  return untilSwept(bridge, String(body.id));
}

/** Waits for the end of a sweep. */
export async function untilSwept(bridge: TestBridge, id: string): Promise<JsonObject> {
  const read = async () => (await askOps(bridge, 'GET', `/sweeps/${id}`)).body;
  return vi.waitFor(async () => {
    const swept = await read();
    if (swept.status === 'running') throw new Error('the sweep is running');
    return swept;
  }, PATIENT);
}

/** The drifts: `kind name`, with `of member` where it is about one. */
export async function listManagedDrifts(bridge: TestBridge, status = 'open'): Promise<string[]> {
  const { body } = await askOps(bridge, 'GET', `/drifts?status=${status}`);
  const items: unknown[] = Array.isArray(body.items) ? body.items : [];
  return items.map((item) => toText(Object(item))).toSorted();
}

function toText({ kind, resource, member }: Record<string, unknown>): string {
  const who = member === null ? '' : ` of ${Object(member).name}`;
  return `${kind} ${Object(resource).name}${who}`;
}
