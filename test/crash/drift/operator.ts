import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { JsonValue } from '../../../src/domain/json.ts';
import type { SeededRandom } from '../../interleavings/seeded-random.ts';
import { toRequester } from '../../support/send-raw.ts';
import type { Lives } from '../lives.ts';

/** What the operator presents. */
export const OPS_TOKEN = 'token-of-an-operator-of-crashes';

const Plan = z.object({
  id: z.string(),
  hash: z.string(),
  status: z.string(),
  reason: z.string().nullable(),
});
/** A plan as the bridge shows it. */
export type ShownPlan = z.infer<typeof Plan>;
const Action = z.object({
  kind: z.string(),
  status: z.string(),
  resource: z.object({ name: z.string().nullable() }),
  member: z.object({ name: z.string().nullable() }).nullable(),
});
/** One of its actions. */
export type ShownAction = z.infer<typeof Action>;
const Drift = z.object({ kind: z.string(), status: z.string() });

/** Asks whichever bridge lives. */
export interface Operator {
  /** Plans whose approval was answered with 200. */
  readonly approved: ReadonlySet<string>;
  /** Plans whose approval was sent. */
  readonly sent: ReadonlySet<string>;
  /** The answer; undefined: nobody lives who gives one. */
  ask(method: 'GET' | 'POST', path: string, body?: JsonValue): Promise<Answer | undefined>;
  /** Asks until there is an answer. @throws Error for one that is none of 2xx */
  insist(path: string): Promise<Answer>;
  listPlans(status?: string): Promise<ShownPlan[]>;
  listActions(planId: string): Promise<ShownAction[]>;
  /** The drifts of what is managed that are not over. */
  listDrifts(): Promise<z.infer<typeof Drift>[]>;
  approve(plan: Pick<ShownPlan, 'id' | 'hash'>): Promise<Answer | undefined>;
}

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

const BUSY_MS = 20;
const PAGE = 1_000;

/** An operator of these processes. */
export function createOperator(lives: Lives, random: SeededRandom): Operator {
  const [approved, sent] = [new Set<string>(), new Set<string>()];

  const ask: Operator['ask'] = async (method, path, body) => {
    const process = await lives.waitForProcess(random);
    const url = new URL(`/ops${path}`, process.baseUrl).href;
    const headers = { authorization: `Bearer ${OPS_TOKEN}`, 'content-type': 'application/json' };
    return toRequester(process)
      .request(method, url, body, headers)
      .catch(() => undefined);
  };

  const insist: Operator['insist'] = async (path) => {
    for (;;) {
      const answer = await ask('GET', path);
      if (answer === undefined || answer.status === 503) await sleep(BUSY_MS);
      else if (answer.status === 200) return answer;
      else throw new Error(`GET ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    }
  };

  /** Every page of a list. */
  async function list<T>(path: string, item: z.ZodType<T>): Promise<T[]> {
    const Page = z.object({ items: z.array(item), nextCursor: z.string().nullable() });
    const items: T[] = [];
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page: string = cursor === undefined ? '' : `&cursor=${cursor}`;
      const { body } = await insist(`${path}limit=${PAGE}${page}`);
      const read = Page.parse(body);
      items.push(...read.items);
      cursor = read.nextCursor;
    }
    return items;
  }

  return {
    approved,
    sent,
    ask,
    insist,
    listPlans: (status) => list(status ? `/plans?status=${status}&` : '/plans?', Plan),
    listActions: (planId) => list(`/plans/${planId}/actions?`, Action),
    async listDrifts() {
      const drifts = await list('/drifts?', Drift);
      const isOver = (status: string) => ['repaired', 'accepted', 'gone'].includes(status);
      return drifts.filter(({ kind, status }) => !isOver(status) && !kind.endsWith('.unmanaged'));
    },
    async approve({ id, hash }) {
      sent.add(id);
      const answer = await ask('POST', `/plans/${id}/approve`, { hash });
      if (answer?.status === 200) approved.add(id);
      return answer;
    },
  };
}
