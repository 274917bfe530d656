import { setImmediate as nextTurn } from 'node:timers/promises';
import { foldCase } from '../../domain/fold.ts';
import { chunks } from '../../store/engine/dialect.ts';
import { findDeletedGroups, findRowsOfGroups } from '../../store/resources/by-upstream.ts';
import { endDisputes, saveDispute } from '../../store/resources/disputes.ts';
import { groups } from '../../upstream/operations/people.ts';
import { scim } from '../../upstream/operations/scim.ts';
import { parseRestGroup } from '../../upstream/shapes/rest-group.ts';
import { parseScimGroup } from '../../upstream/shapes/scim-group.ts';
import { joinGroups, type ListedGroup } from './join-groups.ts';
import { type ListResult, readList } from './read-list.ts';
import type { ReadRun } from './reading.ts';
import { findRow, isStored, type PageReading, saveGroups, toIdLists } from './save-groups.ts';

const SEVERAL = 'several groups of the service have this name, so it is not known which is which';

/** Groups of one read of the store. */
const PART = 100;
/** Members, and groups, after which a transaction ends: some ten milliseconds. */
const SAVED_MAX = 2_000;
const SAVED_EACH = 20;

/** Reads the groups through SCIM: names, and members where the list carries them. They are kept until both lists are whole. */
export async function readGroups(run: ReadRun): Promise<ListResult> {
  const { scimGroups } = run.reading;
  return readList(run, 'groups', {
    operation: scim.getGroups,
    variants: [{}],
    begin: () => scimGroups.clear(),
    async storePage(items, { sentAt }) {
      for (const group of items.map(parseScimGroup)) scimGroups.set(group.id, { ...group, sentAt });
    },
  });
}

/** Reads permissions, flags and REST ids of the groups. */
export async function readRestGroups(run: ReadRun): Promise<ListResult> {
  const { lists, restGroups } = run.reading;
  return readList(run, 'restGroups', {
    operation: groups.getListOfGroups,
    // The service does not page at all with tree entities; the last way asks for nothing special.
    variants: [
      { query: { with_users_count: true } },
      { query: { with_users_count: true, with_tree_entities: true } },
      {},
    ],
    knownTotal: lists.groups.state === 'done' ? lists.groups.count : undefined,
    begin: () => restGroups.clear(),
    async storePage(items) {
      for (const group of items.map(parseRestGroup)) restGroups.set(group.uid, group);
    },
  });
}

/** Joins the two lists, and stores the groups. */
export async function storeGroups(run: ReadRun): Promise<void> {
  const { store, clock, quirks } = run.deps;
  const { isFirst, since, scimGroups, restGroups, lists } = run.reading;
  const [listed, rest] = [[...scimGroups.values()], [...restGroups.values()]];
  const uids = rest.map(({ uid }) => uid);
  const join = joinGroups(listed, rest, await findDeletedGroups(store.read, uids));
  if (join.scimId !== undefined) await quirks.learn({ groupScimId: join.scimId });
  const form = quirks.current().groupScimId;
  const restSentAt = lists.restGroups.since ?? since;
  const how = { form, isFirst, restSentAt, now: clock.now() };
  for (const some of chunks(join.groups, PART)) await storePart(run, some, how);
  await saveAmbiguous(run.deps, join.ambiguous);
}

/** Stores some groups. Those that are stored as the lists show them are only noted: mostly all. */
async function storePart(
  { deps: { store }, reading, signal }: ReadRun,
  listed: readonly ListedGroup[],
  how: PageReading,
): Promise<void> {
  signal.throwIfAborted();
  const rows = await findRowsOfGroups(store.read, toIdLists(listed, how), { lock: false });
  const changed: ListedGroup[] = [];
  for (const group of listed) {
    const row = findRow(rows, group, how);
    if (row && (await isStored(store.read, row, { group, how }))) {
      if (group.scim) reading.unchanged.groups.add(row.seq);
      if (group.rest) reading.unchanged.restGroups.add(row.seq);
    } else changed.push(group);
    // A write of a provider takes several turns of the event loop: each waits for one group.
    await nextTurn();
  }
  for (const some of toParts(changed)) await store.write((tx) => saveGroups(tx, some, how));
}

/** Cuts groups into parts with few members each: a part is one transaction, which blocks other writers. */
function toParts(listed: readonly ListedGroup[]): ListedGroup[][] {
  const parts: ListedGroup[][] = [];
  let size = SAVED_MAX;
  for (const group of listed) {
    if (size >= SAVED_MAX) {
      parts.push([]);
      size = 0;
    }
    parts.at(-1)?.push(group);
    size += SAVED_EACH + (group.scim?.memberIds?.length ?? 0);
  }
  return parts;
}

/** Disputes names of which it is not known which group is which, and no others any more. */
async function saveAmbiguous(
  { store, clock }: Pick<ReadRun['deps'], 'store' | 'clock'>,
  ambiguous: readonly string[],
): Promise<void> {
  const names = new Set(ambiguous.map(foldCase));
  const dispute = { type: 'group', reason: SEVERAL } as const;
  for (const nameFolded of names) {
    await store.write((tx) => saveDispute(tx, { ...dispute, nameFolded, now: clock.now() }));
  }
  await endDisputes(store, { ...dispute, except: names });
}
