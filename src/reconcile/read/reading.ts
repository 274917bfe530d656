import { isWaiting } from '../../domain/cell.ts';
import { isLinked } from '../../domain/kinds.ts';
import { parseFields } from '../../domain/values.ts';
import type { ResourceRow } from '../../store/resources/rows.ts';
import type { RestGroup } from '../../upstream/shapes/rest-group.ts';
import type { ScimGroup } from '../../upstream/shapes/scim-group.ts';
import type { ReadableSection, ReconcileDeps } from '../deps.ts';
import { isBusy } from '../differences.ts';

/** Calls of a complete read are of the least urgent class that is never starved. */
export const READING = { class: 'look', key: 'first-read' } as const;

/** Lists of a complete read by section, in order. `members` stores both lists of groups, and reads what they do not show. */
export const LISTS = {
  users: ['users'],
  companyUsers: ['companyUsers'],
  groups: ['groups', 'restGroups', 'members'],
} as const satisfies { readonly [S in ReadableSection]?: readonly string[] };

/** A section that a complete read needs. */
export type ReadSection = keyof typeof LISTS;
/** One of the lists of these sections, or what comes before the first read: whose service it is. */
export type ListName = (typeof LISTS)[ReadSection][number] | 'service';
/** A list that shows users or groups. */
export type ShowingList = Exclude<ListName, 'members' | 'service'>;

/** The sections of a complete read. */
export const READ_SECTIONS = parseFields<ReadSection>(LISTS);

/** The list of each type that SCIM shows, and that of the other interface. */
const LISTS_OF = {
  user: ['users', 'companyUsers'],
  group: ['groups', 'restGroups'],
} as const;

/** Finds the section that opens or closes a list. */
export function toSection(list: Exclude<ListName, 'service'>): ReadSection {
  return list === 'users' || list === 'companyUsers' ? list : 'groups';
}

interface ListState {
  /** `refused`: the service does not let the bridge read it. */
  state: 'open' | 'done' | 'refused';
  count: number;
  /** Entries that the list has, where the service says it. */
  total?: number;
  /** When its first page was asked for (epoch milliseconds). */
  since?: number;
  /** `seq` of the rows that it showed as they are stored. A row that it changed carries the time instead. */
  readonly unchanged: Set<number>;
}

/** A list that is to be read from its beginning. */
export const toList = (state: ListState['state'] = 'open'): ListState => ({
  state,
  count: 0,
  unchanged: new Set(),
});

/** How far a complete read has come, as operators are shown it. */
export interface ReadProgress {
  readonly step: string;
  /** Entries of this list that were read, and that it has; null: the service does not say. */
  readonly read: number;
  readonly expected: number | null;
  /** When the list is read at the rate so far (epoch milliseconds); null in its first two seconds. */
  readonly endsAt: number | null;
}

/** Time before which nothing is estimated, in milliseconds. */
const ESTIMATE_AFTER_MS = 2_000;

/** A complete read of the service while it runs. It is in memory alone, so a restart reads again. */
export class Reading {
  /** Epoch milliseconds. */
  readonly since: number;
  /** True while nothing was read before. Later, a new member of an adopted group came after the adoption. */
  isFirst: boolean;
  /** Failures in a row of the list that is being read. */
  failures = 0;
  /** Account behind the token, where the service tells it. */
  accountId: number | undefined;
  readonly lists: { [L in ListName]: ListState } = {
    service: toList('done'),
    users: toList(),
    companyUsers: toList(),
    groups: toList(),
    restGroups: toList(),
    members: toList(),
  };
  /** Groups of the two lists, by SCIM id and by uid, until both are whole. */
  readonly scimGroups = new Map<string, ScimGroup>();
  readonly restGroups = new Map<string, RestGroup>();
  /** `seq` of the last group whose members were asked for by themselves. */
  membersAfter = 0;
  /** `seq` of the groups about whose members no two answers agreed. */
  readonly doubted = new Set<number>();
  /** Users whose accounts may have other ids by now: nothing is said of them, nor of where they are members. */
  readonly moved = new Set<string>();

  constructor(now: number, isFirst: boolean) {
    this.since = now;
    this.isFirst = isFirst;
  }

  /** Finds the next list to be read; undefined when none is left. */
  findOpenList(): ListName | undefined {
    const all = ['service' as const, ...READ_SECTIONS.flatMap<ListName>((one) => LISTS[one])];
    return all.find((list) => this.lists[list].state === 'open');
  }

  /** Has the lists of a section read from their beginning, unless they were read or are refused. */
  restart(section: ReadSection, state: ListState['state'] = 'open'): void {
    for (const list of LISTS[section]) this.lists[list] = toList(state);
    if (section === 'groups') this.membersAfter = 0;
  }

  /** Finds how far the read has come; undefined: no list is being read. `now` is epoch milliseconds. */
  findProgress(now: number): ReadProgress | undefined {
    const step = this.findOpenList();
    if (step === undefined) return undefined;
    const { count: read, total: expected = null, since = now } = this.lists[step];
    if (expected === null || read === 0 || now - since < ESTIMATE_AFTER_MS)
      return { step, read, expected, endsAt: null };
    const leftMs = ((now - since) * Math.max(0, expected - read)) / read;
    return { step, read, expected, endsAt: Math.round(now + leftMs) };
  }

  /** True when a list was read to its end. A refused list proves nothing. */
  isDone(list: ListName): boolean {
    return this.lists[list].state === 'done';
  }

  /** True when the read shows who and what is in the service. */
  isRead(type: ResourceRow['type']): boolean {
    return this.isDone(type === 'user' ? 'users' : 'members');
  }

  /** True when a read showed the user or group, or a call has since. */
  isSeen(row: ResourceRow): boolean {
    return LISTS_OF[row.type].some((list) => this.#isListed(list, row));
  }

  #isListed(list: ShowingList, row: ResourceRow): boolean {
    return this.lists[list].unchanged.has(row.seq) || (row.observed?.at ?? 0) >= this.since;
  }

  /** True for what should be in the service, and is in no list that was read, or not in one that showed it before. */
  isMissed(row: ResourceRow): boolean {
    const { type, origin } = row;
    if (row.deleted_at !== null || !this.isRead(type) || isBusy(row)) return false;
    const observed = row.observed;
    const [named, other] = LISTS_OF[type];
    if (origin === null) {
      // An account known only from the list of company users is not missed while that list cannot be read.
      const isShown = type === 'group' || observed?.shownAt !== undefined;
      return observed !== null && !this.isSeen(row) && (isShown || this.isDone(other));
    }
    const cells = row.cells;
    const isMade = isLinked(row) && (type === 'group' || row.active === 1);
    if (!isMade || isWaiting(cells.account) || isWaiting(cells.existence)) return false;
    const isDropped = (list: ShowingList, at: number | undefined) =>
      at !== undefined && this.isDone(list) && !this.#isListed(list, row);
    // The list of company users may always leave out inactive ones.
    const mayLeaveOut = observed && 'active' in observed && !observed.active;
    const isLeftOut =
      (observed?.by.startsWith('scim.') && isDropped(named, observed.shownAt)) ||
      (!mayLeaveOut && isDropped(other, observed?.listedAt));
    return isLeftOut || !this.isSeen(row);
  }
}

/** A read and what it needs; aborted when the process stops. */
export interface ReadRun {
  readonly deps: ReconcileDeps;
  readonly reading: Reading;
  readonly signal: AbortSignal;
}
