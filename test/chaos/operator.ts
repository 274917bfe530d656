import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import { z } from 'zod';
import type { JsonValue } from '../../src/domain/json.ts';
import type { BridgeProcess } from '../support/server.ts';
import { attempts } from './deliver.ts';

/** What the operator presents. */
export const OPS_TOKEN = 'token-of-an-operator-in-chaos';

const Plan = z.object({
  id: z.string(),
  hash: z.string(),
  status: z.string(),
  reason: z.string().nullable(),
});
const Action = z.object({ status: z.string() });
/** A plan as the bridge shows it. */
export type ShownPlan = z.infer<typeof Plan>;
const Named = z.object({ id: z.string(), name: z.string().nullable() });
const Drift = z.object({
  kind: z.string(),
  status: z.string(),
  resource: Named,
  member: Named.nullable(),
});
/** A difference as the bridge shows it. */
export type ShownDrift = z.infer<typeof Drift>;

/** Asks whichever process lives. */
export interface Operator {
  /** The body of an answer with 2xx; undefined: there was none. */
  ask(method: 'GET' | 'POST', path: string, body?: JsonValue): Promise<unknown>;
  /** Asks until there is an answer. */
  insist(method: 'GET' | 'POST', path: string, body?: JsonValue): Promise<unknown>;
  listPlans(status?: string): Promise<ShownPlan[]>;
  listActions(planId: string): Promise<z.infer<typeof Action>[]>;
  /** Plans whose approval was sent, whatever became of that. */
  readonly sent: ReadonlySet<string>;
  /** Approves whatever waits. @returns how many plans were approved */
  approveAll(): Promise<number>;
  /** The drifts that are not over. */
  listDrifts(): Promise<ShownDrift[]>;
}

const BUSY_MS = 20;
const PAGE = 1_000;
const OVER = ['repaired', 'accepted', 'gone'];

/** An operator of these processes. */
export function createOperator(pick: () => Promise<BridgeProcess>): Operator {
  const sent = new Set<string>();

  const ask: Operator['ask'] = async (method, path, body) => {
    const { baseUrl } = await pick();
    const answer = await request(new URL(`/ops${path}`, baseUrl), {
      method,
      headers: { authorization: `Bearer ${OPS_TOKEN}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }).catch(() => undefined);
    const text = await answer?.body.text().catch(() => undefined);
    const isDone = answer !== undefined && text !== undefined && answer.statusCode < 300;
    return isDone ? JSON.parse(text) : undefined;
  };

  const insist: Operator['insist'] = async (...asked) => {
    for (const _ of attempts()) {
      const body = await ask(...asked);
      if (body !== undefined) return body;
      await sleep(BUSY_MS);
    }
    throw new Error(`nobody answers ${asked[0]} /ops${asked[1]}`);
  };

  async function list<T>(path: string, item: z.ZodType<T>): Promise<T[]> {
    const Page = z.object({ items: z.array(item), nextCursor: z.string().nullable() });
    const items: T[] = [];
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page: string = cursor === undefined ? '' : `&cursor=${cursor}`;
      const read = Page.parse(await insist('GET', `${path}limit=${PAGE}${page}`));
      items.push(...read.items);
      cursor = read.nextCursor;
    }
    return items;
  }

  return {
    ask,
    insist,
    sent,
    listPlans: (status) => list(status ? `/plans?status=${status}&` : '/plans?', Plan),
    listActions: (planId) => list(`/plans/${planId}/actions?`, Action),
    async approveAll() {
      const held = await list('/plans?status=held&', Plan);
      let approved = 0;
      for (const { id, hash } of held) {
        sent.add(id);
        if ((await ask('POST', `/plans/${id}/approve`, { hash })) !== undefined) approved += 1;
      }
      return approved;
    },
    async listDrifts() {
      const drifts = await list('/drifts?', Drift);
      return drifts.filter(({ status }) => !OVER.includes(status));
    },
  };
}
