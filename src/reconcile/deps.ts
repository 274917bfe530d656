import type { DriftPolicy, HarmLimit } from '../domain/change.ts';
import type { Clock } from '../domain/clock.ts';
import type { Adoption, AdoptionPolicy, AdoptionRequest } from '../domain/provider.ts';
import type { Refusal } from '../domain/values.ts';
import { isNotApplied } from '../domain/values.ts';
import type { PlanPolicy } from '../plan/plan.ts';
import type { Rules } from '../rules/rules.ts';
import type { Store } from '../store/store.ts';
import { createShared } from '../store/tables.ts';
import type { Events } from '../telemetry/events.ts';
import type { Tracing } from '../telemetry/open-telemetry.ts';
import type { Transport } from '../upstream/transport.ts';
import type { Outcome } from './outcome.ts';

/** Part of the settings that reconciliation follows. */
export interface ReconcilePolicy extends Omit<PlanPolicy, 'addressMayChange'> {
  /** Times that a change may fail by its own fault before it is stuck. */
  readonly attemptsMax: number;
  /** Entries asked for per page of a list. */
  readonly pageSize: number;
  readonly adoptUsers: AdoptionPolicy;
  readonly adoptGroups: AdoptionPolicy;
  /** Harm of each kind that providers may do in 24 hours: held above both; a count of 0: without limit. */
  readonly providerHarm: { readonly count: number; readonly percent: number };
  /** Harm of each kind that repairs do in 24 hours without an operator. */
  readonly repairHarm: HarmLimit;
  readonly drift: DriftPolicy;
  /** Time after a write of our own in which a difference is not drift yet, in milliseconds. */
  readonly settleMs: number;
  /** Milliseconds from the beginning of one sweep to that of the next; 0: only when asked for. */
  readonly sweepIntervalMs: number;
  /** Every how many sweeps the admin lists are read. */
  readonly adminsEvery: number;
  /** Age to which calls, events, requests, drifts, sweeps and plans are kept, in milliseconds. */
  readonly ledgerMs: number;
  /** The same of deleted people and groups, by name; 0: for ever. */
  readonly tombstonesMs: number;
  /** True for a refusal for lack of seats: an addition that meets it waits. */
  readonly isSeatRefusal: (refusal: Refusal) => boolean;
  /** Longest duration of a call, with its repeats and the pauses between them, in milliseconds. */
  readonly callMs: number;
}

/** Dependencies of every process, whether it leads or not. */
export interface ProcessDeps {
  readonly store: Store;
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly policy: ReconcilePolicy;
  /** Rules of the configuration. */
  readonly rules: Rules;
  readonly events: Events;
  /** Name of the service that the store belongs to: its base URL, or a constant for the embedded sandbox. */
  readonly identity: string;
  /** Takes an account or group over, by hand or by a policy, as a request does. */
  readonly adopt: (type: 'user' | 'group', request: AdoptionRequest) => Promise<Adoption>;
  /** Absent: off. */
  readonly tracing?: Tracing | undefined;
}

/** Dependencies of every step of reconciliation: the leader alone has a way to the service. */
export interface ReconcileDeps extends ProcessDeps {
  readonly upstream: Transport;
  /** Kept across restarts. Settings that are not `auto` win. */
  readonly quirks: Awaited<ReturnType<typeof openQuirks>>;
  /** As this lead knows them: what it learns is stored for the next one. */
  readonly sections: Awaited<ReturnType<typeof openSections>>;
  readonly outage: ReturnType<typeof createOutageWatch>;
}

/** REST id that the SCIM id of a group equals. */
export type GroupScimId = 'restId' | 'uid' | 'unrelated';

/** Behaviour that the contract leaves open and the service has shown. Absent: not known yet. */
export interface Quirks {
  /** Form of `emails` in addUser: the contract says strings, public clients send objects. */
  readonly emailForm?: 'strings' | 'objects';
  readonly nameOnCreate?: boolean;
  /** Form of members in one PATCH: one operation per id, RFC 7644 arrays, or one call each. */
  readonly memberForm?: 'operations' | 'array' | 'single';
  /** Largest number of members that the service took in one call, where more were too many. */
  readonly membersPerCall?: number;
  /** New users in a row whose userName was refused and who were created without it. */
  readonly userNamesRefused?: number;
  readonly groupScimId?: GroupScimId;
  readonly addressMayChange?: boolean;
  /** True when an inactive user can be made a member. */
  readonly inactiveMembers?: boolean;
  /** Proof of the user filter: an empty answer means "not there", or nothing. */
  readonly userFilter?: 'proven' | 'refused';
}

/** Quirks as they are stored: each with the time when it was learned (epoch milliseconds). */
export type Lessons = {
  readonly [Name in keyof Quirks]?: { readonly value: Quirks[Name]; readonly at: number };
};

const LESSONS = createShared<Lessons>('forms');
const ASK_AGAIN_MS = 24 * 60 * 60_000;
/** Quirks that may change from day to day, and of some the one value that may: they are tried again once they are a day old. */
const DAILY: ReadonlyMap<string, unknown> = new Map<keyof Quirks, unknown>([
  ['memberForm', 'single'],
  ['groupScimId', 'unrelated'],
  ['membersPerCall', undefined],
  ['userNamesRefused', undefined],
  ['userFilter', undefined],
]);

/** Opens the store of quirks. @throws StoreError when the store cannot be read. */
export async function openQuirks(deps: { store: Store; clock: Clock; fixed: Quirks }) {
  const { store, clock, fixed } = deps;
  let lessons = (await LESSONS.find(store.read)) ?? {};

  function readLearned(): Quirks {
    const oldest = clock.now() - ASK_AGAIN_MS;
    const fresh = Object.entries(lessons).filter(([name, { value, at }]) => {
      const isDaily = DAILY.has(name) && (DAILY.get(name) ?? value) === value;
      return !isDaily || at >= oldest;
    });
    return Object.fromEntries(fresh.map(([name, { value }]) => [name, value]));
  }

  return {
    current: (): Quirks => ({ ...readLearned(), ...fixed }),
    isFixed: (quirk: keyof Quirks) => fixed[quirk] !== undefined,
    /** Remembers a lesson of the service, on disk before it resolves. @throws StoreError */
    async learn(change: Quirks): Promise<void> {
      const learned = new Map(Object.entries(readLearned()));
      const news = Object.entries(change).filter(([name, value]) => learned.get(name) !== value);
      if (news.length === 0) return;
      const at = clock.now();
      const taught = Object.fromEntries(news.map(([name, value]) => [name, { value, at }]));
      lessons = await store.write((tx) =>
        LESSONS.change(tx, at, (before) => ({ ...before, ...taught })),
      );
    },
  };
}

/** Parts of the service that a right or a tariff opens and closes as a whole. */
export type ReadableSection = 'users' | 'groups' | 'companyUsers' | 'audit';

/** Sections with their problem in the service's words, null when open, and its time (epoch milliseconds); absent: never refused. */
export type SectionStates = {
  readonly [S in ReadableSection]?: { readonly problem: Refusal | null; readonly at: number };
};

const SECTIONS = createShared<SectionStates>('sections');

/** Opens what is known of the sections. @throws StoreError */
export async function openSections(deps: { store: Store; clock: Clock; events: Events }) {
  const { store, clock, events } = deps;
  let states = (await SECTIONS.find(store.read)) ?? {};
  return {
    states: () => states,
    /** Records that a section is open or closed, and reports a change. */
    async save(section: ReadableSection, problem: Refusal | null): Promise<void> {
      const before = states[section]?.problem ?? null;
      if (before?.code === problem?.code) return;
      const now = clock.now();
      const change = (known: SectionStates = {}) => ({ ...known, [section]: { problem, at: now } });
      states = await store.write((tx) => SECTIONS.change(tx, now, change));
      if (problem === null) events.sectionOpened({ section });
      else events.sectionClosed({ section, code: problem.code });
    },
  };
}

/** Number of different failing resources, without a success, that makes an outage. */
const OUTAGE_RESOURCES = 3;
/** Time without a success below which resuming early saves nothing, in milliseconds. */
const RESUME_AFTER_MS = 5_000;
/** Time for which a failure counts, in milliseconds; longer than the wait for the next attempt. */
const REMEMBERED_MS = 10 * 60_000;
/** Codes of failures where the service was not reached, or had no answer. */
const UNREACHED: ReadonlySet<string> = new Set([
  ...['connection', 'timeout', 'unavailable', 'unreadable', 'redirected'],
  ...['circuit-open', 'credentials-refused', 'rate-limited'],
]);

/** Creates the watch of one process, which tells failures of single resources from an outage of the service. */
export function createOutageWatch({ now }: Pick<Clock, 'now'>) {
  const [looks, changes] = [createSeries(now), createSeries(now)];
  let tell = () => {};

  return {
    /** Notes the end of a step of a resource; false if its failure may be an outage of the service. */
    note(key: string, outcome: Outcome, isLook: boolean): boolean {
      const problem = findFailure(outcome);
      if (problem === undefined) {
        const wasOut = [looks.succeed(key), !isLook && changes.succeed(key)];
        if (wasOut.includes(true)) tell();
        return true;
      }
      if (!UNREACHED.has(problem.code)) return true;
      // A call that was not sent tells of the service alone.
      const series = isLook || outcome.kind === 'later' ? looks : changes;
      const isAlone = series.fail(key);
      if (isLook && !isAlone) return false;
      return !looks.isOutage() && !changes.isOutage();
    },
    ended: () => tell(),
    /** Calls `listen` when the service answers again after an outage. */
    onEnd(listen: () => void): void {
      tell = listen;
    },
  };
}

/** Finds why a step has no answer of the service; undefined: it has one. */
function findFailure(outcome: Outcome): Refusal | undefined {
  if (outcome.kind === 'done' || outcome.kind === 'refused') return undefined;
  return isNotApplied(outcome.problem) ? undefined : outcome.problem;
}

/** Failures of looks, or of changes. */
function createSeries(now: Clock['now']) {
  let successes = 0;
  let succeededAt = 0;
  /** The last failure of each resource: its time, and how many steps had worked by then. */
  const failed = new Map<string, { readonly at: number; readonly after: number }>();

  const listCurrent = () =>
    [...failed.values()].filter(
      ({ at, after }) => after === successes && now() - at <= REMEMBERED_MS,
    );

  return {
    /** Notes a failure. True if the service has answered for others since this resource failed before. */
    fail(key: string): boolean {
      const before = failed.get(key)?.after ?? successes;
      failed.set(key, { at: now(), after: successes });
      return before !== successes;
    },
    /** Notes a success. True if it ends a longer series of failures. */
    succeed(key: string): boolean {
      // One failed resource is enough: to try what waits harms nothing.
      const wasOut = now() - succeededAt >= RESUME_AFTER_MS && listCurrent().length > 0;
      successes += 1;
      succeededAt = now();
      failed.delete(key);
      return wasOut;
    },
    isOutage: () => listCurrent().length >= OUTAGE_RESOURCES,
  };
}
