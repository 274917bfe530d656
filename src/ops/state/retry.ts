import type { ResourceKey } from '../../domain/ids.ts';
import {
  listRestingGroupsOf,
  type Retried,
  retryEach,
  retryResting,
} from '../../store/resources/retries.ts';
import { answerKeyed, readKeyed } from '../http/keyed.ts';
import { ok, route } from '../http/route.ts';
import type { OpsJson } from '../schemas/schemas.ts';
import type { OpsSources } from '../sources.ts';

/** Resources that an answer lists; the others are counted. */
const LISTED_MAX = 100;

/** Makes due what waits for its next attempt, stuck or not. */
async function retry(
  { store, clock, notify }: OpsSources,
  keys: readonly ResourceKey[],
): Promise<Retried[]> {
  const tried = await store.write((tx) => retryEach(tx, keys, clock.now()));
  notify();
  return tried;
}

async function retryOne(sources: OpsSources, key: ResourceKey): Promise<OpsJson<'Retry'>> {
  const { store, clock } = sources;
  // A membership of the user that waits is a change of its group.
  const groups =
    key.type === 'user' ? await listRestingGroupsOf(store.read, key.id, clock.now()) : [];
  const tried = await retry(sources, [key, ...groups]);
  return { count: tried.length, tried };
}

async function retryAll({ store, clock, notify }: OpsSources): Promise<OpsJson<'Retry'>> {
  const at = clock.now();
  const tried: Retried[] = [];
  let count = 0;
  await retryResting(store, { now: at, beyond: at }, (done) => {
    count += done.length;
    tried.push(...done.slice(0, LISTED_MAX - tried.length));
    notify();
  });
  return { count, tried };
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
    async handle(sources: OpsSources, { body }) {
      if (!('name' in body)) return toTried(await retryAll(sources));
      const keyed = await readKeyed(sources.store.read, body.name, 'any', {
        user: ({ id }) => retryOne(sources, { type: 'user', id }),
        group: ({ id }) => retryOne(sources, { type: 'group', id }),
      });
      if (keyed.kind !== 'found') return answerKeyed<OpsJson<'Retry'>>(keyed);
      return { ...toTried(keyed.value), target: keyed.id };
    },
  }),
] as const;

function toTried(answer: OpsJson<'Retry'>) {
  return { ...ok(answer), change: { after: { tried: answer.count } } };
}
