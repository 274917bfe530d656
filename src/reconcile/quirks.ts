import type { Clock } from '../domain/clock.ts';
import { createFact } from '../store/facts.ts';
import type { Store } from '../store/store.ts';

/** Form of `emails` in addUser: the contract says strings, public clients send objects. */
export type EmailForm = 'strings' | 'objects';
/** Form of members in one PATCH: one operation per id, RFC 7644 arrays, or one call each. */
export type MemberForm = 'operations' | 'array' | 'single';
/** REST id that the SCIM id of a group equals. */
export type GroupScimId = 'restId' | 'uid' | 'unrelated';

/** Proof of the user filter: an empty answer means "not there", or nothing. */
export type UserFilter = 'proven' | 'refused';

/** Behaviour that the contract leaves open and the service has shown. Absent: not known yet. */
export interface Quirks {
  readonly emailForm?: EmailForm;
  /** True when addUser takes the name, which saves the second call. */
  readonly nameOnCreate?: boolean;
  readonly memberForm?: MemberForm;
  /** Time when `memberForm` became `single` (epoch milliseconds): batches are tried again daily. */
  readonly memberFormAt?: number;
  /** Largest number of members that the service took in one call, where more were too many. */
  readonly membersPerCall?: number;
  /** Time when `membersPerCall` was learned (epoch milliseconds): more are tried again daily. */
  readonly membersPerCallAt?: number;
  /** New users in a row whose userName was refused and who were created without it. */
  readonly userNamesRefused?: number;
  /** Time when `userNamesRefused` was learned (epoch milliseconds): it is tried again daily. */
  readonly userNamesRefusedAt?: number;
  readonly groupScimId?: GroupScimId;
  /** Time when one group alone made `groupScimId` `unrelated` (epoch milliseconds): it is tried again daily. */
  readonly groupScimIdAt?: number;
  /** True when updateUser takes a new userName or address. */
  readonly addressMayChange?: boolean;
  /** True when an inactive user can be made a member. */
  readonly inactiveMembers?: boolean;
  readonly userFilter?: UserFilter;
  /** Time when `userFilter` was learned (epoch milliseconds): it is tried again daily. */
  readonly userFilterAt?: number;
}

/** Learned quirks of one service, kept across restarts. Settings that are not `auto` win. */
export interface QuirkStore {
  current(): Quirks;
  /** True when a setting fixes this quirk, so that nothing is learned of it. */
  isFixed(quirk: keyof Quirks): boolean;
  /** Remembers a lesson of the service, on disk before it resolves. */
  learn(change: Quirks): Promise<void>;
  /** Reads the lessons of other processes. @throws StoreError */
  refresh(): Promise<void>;
}

const FACT = createFact<Quirks>('forms');
const ASK_AGAIN_MS = 24 * 60 * 60_000;

/** Opens the store of quirks. @throws StoreError when the store cannot be read. */
export async function openQuirks({
  store,
  clock,
  fixed,
}: {
  store: Store;
  clock: Clock;
  fixed: Quirks;
}): Promise<QuirkStore> {
  let known = (await FACT.find(store.read)) ?? {};
  /** Quirks that were learned and are not stored yet, or could not be. */
  let unsaved: Quirks = {};
  let saving: Promise<void> = Promise.resolve();

  /** Adds the unsaved lessons to those that other processes have stored meanwhile. */
  async function save(): Promise<void> {
    const lessons = unsaved;
    const change = (before: Quirks | undefined): Quirks => ({ ...before, ...lessons });
    const now = clock.now();
    known = await store.write((tx) => FACT.change(tx, now, change));
    if (unsaved === lessons) unsaved = {};
  }

  return {
    current: () => ({ ...withoutStale({ ...known, ...unsaved }, clock.now()), ...fixed }),
    isFixed: (quirk) => fixed[quirk] !== undefined,
    async learn(change) {
      const before = { ...known, ...unsaved };
      if (JSON.stringify({ ...before, ...change }) === JSON.stringify(before)) return;
      unsaved = { ...unsaved, ...change };
      const saved = saving.then(save);
      saving = saved.catch(() => undefined);
      await saved;
    },
    async refresh() {
      await saving;
      known = (await FACT.find(store.read)) ?? known;
    },
  };
}

/** Drops quirks that may change from day to day once they are a day old, so that they are tried again. */
function withoutStale(quirks: Quirks, now: number): Quirks {
  const { memberForm, userFilter, membersPerCall, userNamesRefused, groupScimId, ...rest } = quirks;
  // A missing group answers like one with another id; a lesson from the whole list, which has no time, stays.
  const { memberFormAt = 0, userFilterAt = 0, membersPerCallAt = 0, groupScimIdAt = now } = rest;
  const { userNamesRefusedAt = 0 } = rest;
  const oldest = now - ASK_AGAIN_MS;
  const isFormKept = memberForm !== 'single' || memberFormAt >= oldest;
  const isIdKept = groupScimId !== 'unrelated' || groupScimIdAt >= oldest;
  return {
    ...rest,
    ...(memberForm !== undefined && isFormKept && { memberForm }),
    ...(userFilter !== undefined && userFilterAt >= oldest && { userFilter }),
    ...(membersPerCall !== undefined && membersPerCallAt >= oldest && { membersPerCall }),
    ...(userNamesRefused !== undefined && userNamesRefusedAt >= oldest && { userNamesRefused }),
    ...(groupScimId !== undefined && isIdKept && { groupScimId }),
  };
}
