import type { ArgsOf } from '../../upstream/operations/call-types.ts';
import type { PagedOperation } from '../../upstream/operations/operation.ts';
import { paginate } from '../../upstream/paginate.ts';
import type { RestGroup } from '../../upstream/shapes/rest-group.ts';
import type { ScimGroup } from '../../upstream/shapes/scim-group.ts';
import type { CallContext, ReconcileDeps } from '../deps.ts';
import type { ReadableSection } from '../sections.ts';
import { classify } from '../verdict.ts';

/** Dependencies of a complete read. */
export interface ReadDeps extends ReconcileDeps {
  /** Name of the service that the store belongs to: its base URL, or a constant for the embedded sandbox. */
  readonly identity: string;
}

/** Calls of a complete read are of the least urgent class that is never starved. */
export const READING: CallContext = { class: 'look', key: 'first-read' };

/**
 * Lists of a complete read, in order: users before groups, because a membership names a user. `members`: both lists of
 * groups are stored, and members that they do not show are asked for group by group.
 */
export const LISTS = ['users', 'companyUsers', 'groups', 'restGroups', 'members'] as const;

/** One of these lists. */
export type ListName = (typeof LISTS)[number];

/** A list that shows users or groups. */
export type ShowingList = Exclude<ListName, 'members'>;

interface ListState {
  /** `refused`: the service does not let the bridge read it. */
  state: 'open' | 'done' | 'refused';
  count: number;
  /** Entries that the list has, where the service says it. */
  total?: number;
  /** When its first page was asked for (epoch milliseconds). */
  since?: number;
}

/** Group of the SCIM list, and when its page was asked for (epoch milliseconds). */
export interface ListedScimGroup extends ScimGroup {
  readonly sentAt: number;
}

/** A complete read of the service while it runs. It is in memory alone, so a restart reads again. */
export interface Reading {
  /** True while nothing was read before. Later, a new member of an adopted group came after the adoption. */
  readonly isFirst: boolean;
  readonly since: number;
  readonly lists: { [L in ListName]: ListState };
  /** `seq` of the rows that a list showed as they are stored. A row that it changed carries the time instead. */
  readonly unchanged: { readonly [L in ShowingList]: Set<number> };
  /** Groups of the two lists, by SCIM id and by uid, until both are whole. */
  readonly scimGroups: Map<string, ListedScimGroup>;
  readonly restGroups: Map<string, RestGroup>;
  /** `seq` of the last group whose members were asked for by themselves. */
  membersAfter: number;
  /** `seq` of the groups about whose members no two answers agreed. */
  readonly doubted: Set<number>;
  /** Users whose accounts may have other ids by now: nothing is said of them, nor of where they are members. */
  readonly moved: Set<string>;
}

/** A read and what it needs; aborted when the process stops. */
export interface ReadRun {
  readonly deps: ReadDeps;
  readonly reading: Reading;
  readonly signal: AbortSignal;
}

/** Lists that were read or refused before. */
export type ReadBefore = { readonly [L in ListName]?: 'done' | 'refused' };

/**
 * Begins a read. `done`: lists that an earlier process has read or was refused.
 * @param now epoch milliseconds
 */
export function beginReading(now: number, isFirst: boolean, done: ReadBefore = {}): Reading {
  const open = (list: ListName): ListState => ({ state: done[list] ?? 'open', count: 0 });
  return {
    isFirst,
    since: now,
    lists: {
      users: open('users'),
      companyUsers: open('companyUsers'),
      groups: open('groups'),
      restGroups: open('restGroups'),
      members: open('members'),
    },
    unchanged: {
      users: new Set(),
      companyUsers: new Set(),
      groups: new Set(),
      restGroups: new Set(),
    },
    scimGroups: new Map(),
    restGroups: new Map(),
    membersAfter: 0,
    doubted: new Set(),
    moved: new Set(),
  };
}

/** Finds the next list to be read; undefined when none is left. */
export function findOpenList({ lists }: Reading): ListName | undefined {
  return LISTS.find((list) => lists[list].state === 'open');
}

/** Finds the section that opens or closes a list. */
export function toSection(list: ListName): ReadableSection {
  return list === 'restGroups' || list === 'members' ? 'groups' : list;
}

/** Lists the lists of a section. */
export function listsOf(section: ReadableSection): ListName[] {
  return LISTS.filter((list) => toSection(list) === section);
}

/** Has the lists of a section read from their beginning, or leaves them out. */
export function restartSection(
  reading: Reading,
  section: ReadableSection,
  state: 'open' | 'refused' = 'open',
): void {
  for (const list of listsOf(section)) reading.lists[list] = { state, count: 0 };
  if (section === 'groups') reading.membersAfter = 0;
}

/** Times when a page was asked for and when it is stored (epoch milliseconds). */
export interface PageTimes {
  readonly sentAt: number;
  readonly now: number;
}

interface PagedList<O extends PagedOperation> {
  readonly operation: O;
  /** Documented ways to ask for it: a later one is tried when the ones before are not complete. */
  readonly variants: readonly ArgsOf<O>[];
  /** Number of entries that it must have, where another complete list tells it. */
  readonly knownTotal?: number | undefined;
  storePage(items: readonly unknown[], times: PageTimes): Promise<void>;
}

/**
 * Reads a list to its proven end, and stores it page by page. Returns why it was not provably complete, so that nothing
 * is concluded; undefined: it was. @throws what a call of it throws
 */
export async function readList<O extends PagedOperation>(
  run: ReadRun,
  name: ListName,
  list: PagedList<O>,
): Promise<string | undefined> {
  const { lists } = run.reading;
  let reason: string | undefined;
  for (const args of list.variants) {
    lists[name] = { state: 'open', count: 0, since: run.deps.clock.now() };
    try {
      reason = await readPages(run, lists[name], { ...list, args });
    } catch (error) {
      // A service that does not take these parameters may take those of the next way.
      const { verdict, problem } = classify(error);
      if (verdict !== 'refused') throw error;
      reason = problem.words;
    }
    if (reason === undefined) return undefined;
  }
  return `${list.operation.id}: ${reason}`;
}

async function readPages<O extends PagedOperation>(
  { deps: { clock, policy, upstream }, signal }: ReadRun,
  state: ListState,
  { operation, args, knownTotal, storePage }: PagedList<O> & { readonly args: ArgsOf<O> },
): Promise<string | undefined> {
  const { pageSize } = policy;
  const options = { ...READING, signal, pageSize, emptyFrom: knownTotal };
  const pages = paginate(upstream, operation, args, options);
  let sentAt = clock.now();
  for await (const { items, total } of pages) {
    await storePage(items, { sentAt, now: clock.now() });
    state.count += items.length;
    if (total !== undefined) state.total = total;
    sentAt = clock.now();
  }
  const { reason } = pages.result;
  // A service that ignores the offset sends the same page for ever; one page can still be everything.
  return reason === 'a page came twice' && pages.progress.count === knownTotal ? undefined : reason;
}

/** How far a complete read has come, as operators are shown it. */
export interface ReadProgress {
  readonly step: string;
  /** Entries of this list that were read, and that it has, where the service says it. */
  readonly count: number;
  readonly total?: number;
  /** When the list is read at the rate so far (epoch milliseconds), once it takes longer than two seconds. */
  readonly endsAt?: number;
}

/** Time before which nothing is estimated, in milliseconds. */
const ESTIMATE_AFTER_MS = 2_000;

/** Finds how far a read has come; undefined: no list is being read. `now` is epoch milliseconds. */
export function findProgress(reading: Reading | undefined, now: number): ReadProgress | undefined {
  const step = reading && findOpenList(reading);
  if (reading === undefined || step === undefined) return undefined;
  const { count, total, since = now } = reading.lists[step];
  if (total === undefined) return { step, count };
  if (count === 0 || now - since < ESTIMATE_AFTER_MS) return { step, count, total };
  const leftMs = ((now - since) * Math.max(0, total - count)) / count;
  return { step, count, total, endsAt: Math.round(now + leftMs) };
}
