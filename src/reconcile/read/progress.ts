import { createFact, type Fact } from '../../store/facts.ts';
import type { Db } from '../../store/store.ts';
import type { Cursor } from '../../upstream/page-progress.ts';
import type { ReadableSection } from '../sections.ts';

/** Steps of the first read, in order: users before groups, because a membership names a user. */
export const STEPS = ['service', 'users', 'companyUsers', 'groups', 'restGroups'] as const;

/** Step for one list of the service, or for our own account (`service`). */
export type Step = (typeof STEPS)[number];

/** Progress of one step. */
export interface StepProgress {
  /** State of the step; `refused`: the service does not let us read it, and it is asked again from time to time. */
  readonly state: 'open' | 'done' | 'refused';
  /** Number of entries read. */
  readonly count: number;
  /** Number of entries that the list has, where the service says it. */
  readonly total?: number;
  /** Beginning of this reading of the list (epoch milliseconds). */
  readonly since?: number;
  /** Place where reading goes on; absent at the beginning. */
  readonly cursor?: Cursor;
  /** Documented way to ask for the list that is in use; the first when absent. */
  readonly variant?: number;
  /** groups: true when some group came with members, so that the list shows them. */
  readonly listsMembers?: boolean;
  /** restGroups: place in the order of creation up to which members were read. */
  readonly membersAfter?: number;
  /** restGroups: done without members, because no user is known who could be one. */
  readonly membersUnknown?: boolean;
  /** restGroups: the member counts of some group disagree, so no member was removed from it. */
  readonly membersDoubted?: boolean;
}

/** Progress of a complete read, kept in the store, so that a restart goes on from there. */
export interface Progress {
  /** Time when everything that may be read had been read once (epoch milliseconds). */
  readonly finishedAt?: number;
  /** Everything was read before: a new member of an adopted group came after the adoption. */
  readonly repeats?: true;
  readonly steps: { readonly [S in Step]?: StepProgress };
}

/** Progress of the first read. */
export const FIRST_READ_FACT = createFact<Progress>('first-read');
const UNTOUCHED: StepProgress = { state: 'open', count: 0 };

/** Reads the stored progress; an untouched store has all steps open. */
export async function readProgress(db: Db, fact = FIRST_READ_FACT): Promise<Progress> {
  return (await fact.find(db)) ?? { steps: {} };
}

/** Stores a checkpoint. A read that another process finished stays finished. */
export async function saveProgress(
  tx: Db,
  { progress, fact, now }: { progress: Progress; fact: Fact<Progress>; now: number },
): Promise<Progress> {
  const finishedAt = progress.finishedAt ?? (await readProgress(tx, fact)).finishedAt;
  const value: Progress = { ...progress, ...(finishedAt === undefined ? {} : { finishedAt }) };
  await fact.save(tx, value, now);
  return value;
}

/** Finds the progress of a step. */
export function getStep(progress: Progress, step: Step): StepProgress {
  return progress.steps[step] ?? UNTOUCHED;
}

/** Time before which nothing is estimated, in milliseconds. */
const ESTIMATE_AFTER_MS = 2_000;

/** Estimates when a list is read, at the rate so far. */
export function estimateEnd(
  { count, total, since }: Pick<StepProgress, 'count' | 'total' | 'since'>,
  now: number,
): number | undefined {
  if (total === undefined || since === undefined || count === 0) return undefined;
  if (now - since < ESTIMATE_AFTER_MS) return undefined;
  return Math.round(now + ((now - since) * Math.max(0, total - count)) / count);
}

/** Copies `progress` with one step changed. */
export function withStep(progress: Progress, step: Step, change: StepProgress): Progress {
  return { ...progress, steps: { ...progress.steps, [step]: change } };
}

/** Finds the next step to be read; undefined when none is left. */
export function findOpenStep(progress: Progress): Step | undefined {
  return STEPS.find((step) => getStep(progress, step).state === 'open');
}

/** Copies `progress` with these steps to be read from their beginning. */
export function reopen(progress: Progress, steps: readonly Step[]): Progress {
  let next = progress;
  for (const step of steps) next = withStep(next, step, UNTOUCHED);
  return next;
}

/** Finds the section of a step; undefined for what every token may ask. */
export function findSection(step: Step): ReadableSection | undefined {
  switch (step) {
    case 'service':
      return undefined;
    case 'restGroups':
      return 'groups';
    default:
      return step;
  }
}

/** Lists the steps of the lists that a section opens together. */
export function listStepsOf(section: ReadableSection): Step[] {
  return STEPS.filter((step) => findSection(step) === section);
}
