import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import type { BenchUser } from './company.ts';
import { percentile } from './measure.ts';
import { type ScimTarget, toPatch } from './scim-target.ts';

/** How long an identity provider waited for its answers. */
export interface Latency {
  readonly requests: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

const betweenMs = 20;

/**
 * Deactivates one person after another and activates them again, 50 requests a second whatever the answers take, until
 * `isOver`. Each is timed from when it was to be sent, so that a bridge that stands still is seen to do so.
 * @throws Error when one is refused.
 */
export async function sendSteadily(
  target: ScimTarget,
  users: readonly BenchUser[],
  isOver: Promise<unknown>,
): Promise<Latency> {
  let isEnding = false;
  isOver.finally(() => (isEnding = true)).catch(() => undefined);
  const dispatcher = new Agent({ connections: 64 });
  const sent: Promise<number>[] = [];
  const startedAt = performance.now();
  while (!isEnding) {
    const dueAt = startedAt + sent.length * betweenMs;
    await sleep(Math.max(0, dueAt - performance.now()));
    const user = users[Math.floor(sent.length / 2) % users.length];
    if (user === undefined) throw new RangeError('nobody to change');
    const body = toPatch('replace', 'active', sent.length % 2 === 1);
    const path = `${target.baseUrl}/Users/${user.id}`;
    sent.push(patch({ target, dispatcher, path, body }).then(() => performance.now() - dueAt));
  }
  const latenciesMs = Float64Array.from(await Promise.all(sent)).sort();
  await dispatcher.close();
  return {
    requests: latenciesMs.length,
    p50Ms: percentile(latenciesMs, 0.5),
    p99Ms: percentile(latenciesMs, 0.99),
    maxMs: percentile(latenciesMs, 1),
  };
}

async function patch({
  target,
  dispatcher,
  path,
  body,
}: {
  target: ScimTarget;
  dispatcher: Agent;
  path: string;
  body: string;
}): Promise<void> {
  const headers = {
    authorization: `Bearer ${target.token}`,
    'content-type': 'application/scim+json',
  };
  const answer = await request(path, { method: 'PATCH', headers, body, dispatcher });
  const text = await answer.body.text();
  if (answer.statusCode >= 300) throw new Error(`PATCH: ${answer.statusCode} ${text}`);
}
