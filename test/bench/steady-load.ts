import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, type Dispatcher, request } from 'undici';
import type { BenchUser } from './company.ts';
import { percentile } from './measure.ts';
import type { BenchSandbox } from './sandbox.ts';
import { type ScimTarget, toPatch } from './scim-target.ts';

/** How long a client waited for its answers. */
export interface Latency {
  readonly requests: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

const betweenMs = 20;

/** Sends the request with this number, counted from 0, by this dispatcher. @throws Error when it is refused. */
type Send = (count: number, dispatcher: Dispatcher) => Promise<void>;

/**
 * Sends 50 requests a second, whatever the answers take, until `isOver`. Each is timed from when it was to be sent, so
 * that a server that stands still is seen to do so.
 * @throws Error when one is refused.
 */
export async function sendSteadily(send: Send, isOver: Promise<unknown>): Promise<Latency> {
  let isEnding = false;
  isOver.finally(() => (isEnding = true)).catch(() => undefined);
  const dispatcher = new Agent({ connections: 64 });
  const sent: Promise<number>[] = [];
  const startedAt = performance.now();
  while (!isEnding) {
    const dueAt = startedAt + sent.length * betweenMs;
    await sleep(Math.max(0, dueAt - performance.now()));
    sent.push(send(sent.length, dispatcher).then(() => performance.now() - dueAt));
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

/** Deactivates one person after another and activates them again, as an identity provider does. */
export function toActivePatches({ baseUrl, token }: ScimTarget, users: readonly BenchUser[]): Send {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/scim+json' };
  return (count, dispatcher) => {
    const user = users[Math.floor(count / 2) % users.length];
    if (user === undefined) throw new RangeError('nobody to change');
    const body = toPatch('replace', 'active', count % 2 === 1);
    return ask(`${baseUrl}/Users/${user.id}`, { method: 'PATCH', headers, body, dispatcher });
  };
}

/** Asks the service itself for one person, as a bridge does for a change. */
export function toServiceCalls({ url, token }: BenchSandbox): Send {
  const headers = { authorization: `Bearer ${token}` };
  return (_count, dispatcher) =>
    ask(`${url}/scim/v2/Users?startIndex=1&count=1`, { headers, dispatcher });
}

async function ask(url: string, options: Parameters<typeof request>[1]): Promise<void> {
  const answer = await request(url, options);
  const text = await answer.body.text();
  if (answer.statusCode >= 300) throw new Error(`${url}: ${answer.statusCode} ${text}`);
}
