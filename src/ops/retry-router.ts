import { Router } from 'express';
import type { ResourceKey } from '../domain/ids.ts';
import type { Store } from '../store/database.ts';
import { listGroupsByKey, listUsersByKey } from '../store/explained.ts';
import { listResting, listRestingGroupsOf, type Retried, retryNow } from '../store/retries.ts';
import { jsonBody, parseBody } from './body.ts';
import { InvalidRequest } from './invalid-request.ts';
import { answerKeyed, type Keyed, toKeyed } from './keyed.ts';

/** Of what is tried so many are listed; the others are counted. */
const LISTED_MAX = 100;
/** People or groups that one transaction has tried. */
const CHUNK = 100;

/** What is tried now because an operator asked for it. */
export interface RetryAnswer {
  readonly count: number;
  /** The first hundred. */
  readonly tried: readonly Retried[];
}

/** Has what waits for its next attempt, stuck or not, tried now. */
export interface RetrySource {
  /** By an id, a userName, an address or a displayName. */
  readonly one: (name: string) => Promise<Keyed<RetryAnswer>>;
  readonly all: () => Promise<RetryAnswer>;
}

/** `wake` is called once something is due. */
export function createRetrySource(
  store: Pick<Store, 'read' | 'write'>,
  { now, wake }: { readonly now: () => number; readonly wake: () => void },
): RetrySource {
  async function retry(keys: readonly ResourceKey[]): Promise<Retried[]> {
    const tried = await store.write(async (tx) => {
      const done: Retried[] = [];
      for (const key of keys) {
        const one = await retryNow(tx, key, now());
        if (one !== undefined) done.push(one);
      }
      return done;
    });
    wake();
    return tried;
  }

  async function retryOne(key: ResourceKey): Promise<RetryAnswer> {
    // What of a person waits in a group is that group's to do.
    const groups = key.type === 'user' ? await listRestingGroupsOf(store.read, key.id, now()) : [];
    const tried = await retry([key, ...groups]);
    return { count: tried.length, tried };
  }

  return {
    async one(name) {
      const users = await listUsersByKey(store.read, name);
      const groups = await listGroupsByKey(store.read, name);
      const keys: ResourceKey[] = [
        ...users.map(({ id }) => ({ type: 'user', id }) as const),
        ...groups.map(({ id }) => ({ type: 'group', id }) as const),
      ];
      return toKeyed(keys.map((key) => ({ ...key, read: () => retryOne(key) })));
    },
    async all() {
      const at = now();
      const tried: Retried[] = [];
      let count = 0;
      for (const type of ['user', 'group'] as const) {
        let after = '';
        for (;;) {
          const keys = await listResting(store.read, type, { now: at, after, limit: CHUNK });
          const done = await retry(keys);
          count += done.length;
          tried.push(...done.slice(0, LISTED_MAX - tried.length));
          const last = keys.at(-1);
          if (last === undefined || keys.length < CHUNK) break;
          after = last.id;
        }
      }
      return { count, tried };
    },
  };
}

/**
 * `POST /retry` with `{ "name": "…" }` or `{ "all": true }` has tried at once what is stuck or waits for its next attempt,
 * and answers what that is. 404 when nothing has the name, 409 when several have.
 */
export function createRetryRouter({ one, all }: RetrySource): Router {
  return Router().post('/retry', jsonBody, async (req, res) => {
    const name = parseName(req.body);
    answerKeyed(res, name === undefined ? { kind: 'found', value: await all() } : await one(name));
  });
}

/** The name, or undefined where all is asked for. @throws InvalidRequest */
function parseName(body: unknown): string | undefined {
  const allowed = '{"name": "…"} or {"all": true}';
  const { name, all } = parseBody(body, ['name', 'all'], allowed);
  if (name === undefined && all === true) return undefined;
  if (all === undefined && typeof name === 'string' && name !== '') return name;
  throw new InvalidRequest(`The body has to be ${allowed}.`);
}
