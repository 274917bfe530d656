import type { ResourceKey } from '../../domain/ids.ts';
import {
  listRestingGroupsOf,
  type Retried,
  retryEach,
  retryResting,
} from '../../store/resources/retries.ts';
import type { Store } from '../../store/store.ts';
import { answerKeyed, createKeyedSource, type Keyed } from '../http/keyed.ts';
import { ok, route } from '../http/route.ts';
import type { RetryAnswer } from '../schemas/state.ts';

/** Resources that an answer lists; the others are counted. */
const LISTED_MAX = 100;

/** Makes due what waits for its next attempt, stuck or not. */
export interface RetrySource {
  /** By an id, a userName, an address or a displayName. */
  readonly one: (name: string) => Promise<Keyed<RetryAnswer>>;
  readonly all: () => Promise<RetryAnswer>;
}

/** Makes things due. @param notify is called once something is due. */
export function createRetrySource(
  store: Pick<Store, 'read' | 'write'>,
  { now, notify }: { readonly now: () => number; readonly notify: () => void },
): RetrySource {
  async function retry(keys: readonly ResourceKey[]): Promise<Retried[]> {
    const tried = await store.write((tx) => retryEach(tx, keys, now()));
    notify();
    return tried;
  }

  async function retryOne(key: ResourceKey): Promise<RetryAnswer> {
    // A membership of the user that waits is a change of its group.
    const groups = key.type === 'user' ? await listRestingGroupsOf(store.read, key.id, now()) : [];
    const tried = await retry([key, ...groups]);
    return { count: tried.length, tried };
  }

  const { any: one } = createKeyedSource(
    store.read,
    ({ id }) => retryOne({ type: 'user', id }),
    ({ id }) => retryOne({ type: 'group', id }),
  );
  return {
    one,
    async all() {
      const at = now();
      const tried: Retried[] = [];
      let count = 0;
      await retryResting(store, { now: at, beyond: at }, (done) => {
        count += done.length;
        tried.push(...done.slice(0, LISTED_MAX - tried.length));
        notify();
      });
      return { count, tried };
    },
  };
}

interface Needs {
  readonly retry: RetrySource;
}

/** Request that has tried at once what is stuck or waits for its next attempt. */
export const retryRoutes = [
  route({
    method: 'post',
    path: '/retry',
    tag: 'State',
    summary:
      'Has tried at once what is stuck or waits for its next attempt: of one person or group, by an id or a name, or all.',
    body: 'RetryBody',
    answers: { 200: 'Retry', 404: 'Problem', 409: 'Problem' },
    async handle({ retry }: Needs, { body }) {
      if (!('name' in body)) return toTried(await retry.all());
      const keyed = await retry.one(body.name);
      if (keyed.kind !== 'found') return answerKeyed<RetryAnswer>(keyed);
      return { ...toTried(keyed.value), target: keyed.id };
    },
  }),
] as const;

function toTried(answer: RetryAnswer) {
  return { ...ok(answer), change: { after: { tried: answer.count } } };
}
