import { isProvider } from '../../store/credentials/providers.ts';
import { unknownProvider } from '../access/providers.ts';
import { parseColumnMap } from '../exports/read-entries.ts';
import { fileTaken, hasFile, readFileEntries } from '../exports/read-file.ts';
import { InvalidRequest } from '../http/errors.ts';
import { problem, route } from '../http/route.ts';
import type { OpsSources } from '../sources.ts';
import { importIds } from './import-ids.ts';
import { findSwitch, type SwitchRequest } from './source.ts';

/** Requests that give people and groups to another provider. */
export const handoverRoutes = [
  route({
    method: 'post',
    path: '/providers/{id}/switch',
    tag: 'Providers',
    summary:
      'Plans that people and groups of this provider go to another one: everybody, or with a file of the other provider those whom it has. Nothing is changed before the plan is approved, and nothing in the service.',
    parameters: { to: 'text', map: 'text', dryRun: ['true', 'false'] },
    meanings: {
      to: 'The other provider.',
      map: '`column=attribute` with commas, as of a census.',
      dryRun: 'Tells, and makes no plan.',
    },
    file: 'text/csv',
    readers: [],
    answers: { 200: 'Handover', 404: 'Problem', 409: 'Problem', 429: 'Problem' },
    async handle(sources: OpsSources, { params: { id: from }, query: { filters }, req }) {
      const { to, map, dryRun } = filters;
      if (to === undefined || to === from)
        throw new InvalidRequest('to is the name of another provider.');
      const columns = parseColumnMap(map ?? '');
      const known = await Promise.all(
        [from, to].map((name) => isProvider(sources.store.read, name)),
      );
      if (known.includes(false)) return unknownProvider();
      return whileReserved(sources, async () => {
        const reading = { map: columns, idsOf: 'provider' } as const;
        const entries = hasFile(req) ? await readFileEntries(req, reading) : undefined;
        return answer(sources, { from, to, entries }, dryRun === 'true');
      });
    },
  }),
  route({
    method: 'post',
    path: '/providers/{id}/import-ids',
    tag: 'Providers',
    summary:
      'Takes the ids by which an earlier SCIM server knew people, or groups: the bridge answers by them too, so that the links of this provider go on working. A row that is not surely somebody, and an id that somebody else has, are left out.',
    parameters: { type: ['user', 'group'], map: 'text', dryRun: ['true', 'false'] },
    meanings: {
      type: 'What the file lists; `user` when left out.',
      map: '`column=attribute` with commas, as of a census.',
      dryRun: 'Tells, and imports nothing.',
    },
    file: 'text/csv',
    readers: [],
    answers: { 200: 'IdImport', 404: 'Problem', 429: 'Problem' },
    async handle(sources: OpsSources, { params, query: { filters }, req }) {
      const { id: provider } = params;
      const { type = 'user', map = '', dryRun } = filters;
      const columns = parseColumnMap(map);
      if (!(await isProvider(sources.store.read, provider))) return unknownProvider();
      return whileReserved(sources, async () => {
        const entries = await readFileEntries(req, { map: columns, idsOf: 'server' });
        const isDryRun = dryRun === 'true';
        const items = await importIds(sources, { type, provider, entries, isDryRun });
        const counts = countOutcomes(items);
        const told = toItemsAnswer({ provider, dryRun: isDryRun, counts }, items);
        const change = { after: { imported: counts.imported ?? 0 } };
        return isDryRun ? told : { ...told, acts: [{ target: provider, change }] };
      });
    },
  }),
] as const;

function countOutcomes<Outcome extends string>(
  items: readonly { readonly outcome: Outcome }[],
): Partial<Record<Outcome, number>> {
  const counts: Partial<Record<Outcome, number>> = {};
  for (const { outcome } of items) counts[outcome] = (counts[outcome] ?? 0) + 1;
  return counts;
}

/** Does what reads a file, as the one request that may. */
async function whileReserved<T>({ reserve }: OpsSources, work: () => Promise<T>) {
  const end = reserve();
  return end === undefined ? fileTaken() : work().finally(end);
}

async function answer(sources: OpsSources, request: SwitchRequest, isDryRun: boolean) {
  const { from, to } = request;
  const { items, handovers } = await findSwitch(sources, request);
  const told = { from, to, counts: countOutcomes(items) };
  if (isDryRun || handovers.length === 0)
    return toItemsAnswer({ ...told, planId: null, hash: null }, items);
  const planned = await sources.drifts.handOver(handovers, `what belongs to ${from} goes to ${to}`);
  if (planned.kind === 'waits') {
    const message = `Plan ${planned.plan.id} hands over already: approve or discard it.`;
    return problem(409, 'waits', message, { plan: planned.plan.id });
  }
  const { id: planId, hash } = planned.plan;
  const change = { after: { to, planId, handedOver: handovers.length } };
  return { ...toItemsAnswer({ ...told, planId, hash }, items), acts: [{ target: from, change }] };
}

/** Items of one part of the answer. */
const PART = 200;

/** An answer whose items are written piece by piece, behind its other members. */
function toItemsAnswer(head: object, items: readonly object[]) {
  return { status: 200, parts: toParts(head, items), acts: [] } as const;
}

async function* toParts(head: object, items: readonly object[]): AsyncGenerator<string> {
  yield `${JSON.stringify(head).slice(0, -1)},"items":[`;
  for (let at = 0; at < items.length; at += PART) {
    const text = items.slice(at, at + PART).map((item) => JSON.stringify(item));
    yield `${at === 0 ? '' : ','}${text.join(',')}`;
  }
  yield ']}';
}
