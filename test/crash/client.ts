import { setTimeout as sleep } from 'node:timers/promises';
import type { JsonValue } from '../../src/domain/json.ts';
import type { SeededRandom } from '../interleavings/seeded-random.ts';
import type { TestAnswer } from '../support/bridge.ts';
import type { Requester } from '../support/provider.ts';

/** How long a client waits after a 503, in milliseconds. */
const BUSY_MS = 20;

/** One request. */
export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly body?: JsonValue;
  /** Beside 2xx: what else an earlier one that nobody answered may have led to. */
  readonly expected?: number;
}

/** A provider that goes on whatever becomes of the bridge. */
export interface CrashClient {
  /** The answer of a bridge that lives; undefined: it was gone, or not ready, before there was one. */
  send(asked: Asked): Promise<TestAnswer | undefined>;
  readonly counts: Counts;
}

/** What a run came to. */
export interface Counts {
  sent: number;
  acknowledged: number;
  unanswered: number;
  /** Answers that nobody expected: the client asks for nothing that may be refused. */
  readonly refusals: string[];
}

/** A client of whichever bridge lives; `waitForBridge` resolves with one of them. */
export function createCrashClient(
  waitForBridge: (random: SeededRandom) => Promise<Requester>,
  random: SeededRandom,
): CrashClient {
  const counts: Counts = { sent: 0, acknowledged: 0, unanswered: 0, refusals: [] };

  async function send({ method, path, body, expected }: Asked) {
    const bridge = await waitForBridge(random);
    counts.sent += 1;
    const answer = await bridge.request(method, path, body).catch(() => undefined);
    if (answer === undefined || answer.status === 503) {
      counts.unanswered += 1;
      if (answer) await sleep(BUSY_MS);
      return undefined;
    }
    if (answer.status < 300 || answer.status === expected) counts.acknowledged += 1;
    else counts.refusals.push(`${method} ${path}: ${answer.status} ${answer.text}`);
    return answer;
  }

  return { send, counts };
}
