import { findDeletedGroups, listSeenGroups } from '../../store/groups/observations.ts';
import { groups } from '../../upstream/operations/people.ts';
import { parseRestGroup, type RestGroup } from '../../upstream/shapes/rest-group.ts';
import type { Problem } from '../outcome.ts';
import { isSectionUp, readSections, saveSection } from '../sections.ts';
import type { Checkpoint } from './checkpoint.ts';
import { joinGroups } from './join-groups.ts';
import {
  estimateEnd,
  findOpenStep,
  findSection,
  getStep,
  listStepsOf,
  type Progress,
  reopen,
  type Step,
  withStep,
} from './progress.ts';
import { readGroups } from './read-groups.ts';
import { readList } from './read-list.ts';
import { readMembers } from './read-members.ts';
import { readCompanyUsers, readUsers } from './read-users.ts';
import { saveJoin } from './save-join.ts';
import { readService } from './service.ts';
import type { FirstReadContext, FirstReadDeps, StepResult } from './step.ts';

const READERS: { readonly [S in Step]: (context: FirstReadContext) => Promise<StepResult> } = {
  service: readService,
  users: readUsers,
  companyUsers: readCompanyUsers,
  groups: readGroups,
  restGroups: readRestGroups,
};

/** State that the steps of one first read share. */
export interface StepRun {
  readonly deps: FirstReadDeps;
  readonly checkpoint: Checkpoint;
  readonly signal: AbortSignal;
}

/** Reads one list from its checkpoint on. @throws what a call of it throws. */
export async function runStep(
  { deps, checkpoint, signal }: StepRun,
  step: Step,
): Promise<StepResult> {
  const tell = createTeller({ deps, checkpoint, signal }, step);
  return READERS[step]({
    deps,
    signal,
    progress: () => checkpoint.current(),
    current: () => checkpoint.getStep(step),
    async save(change, rows) {
      await checkpoint.saveStep(step, change, rows);
      tell();
    },
  });
}

/** Interval of lines of the log about a list that is read, in milliseconds. */
const TELL_MS = 60_000;

/** Creates a teller of how far a list has come: once a minute, also of a list that is never complete. */
function createTeller({ deps, checkpoint }: StepRun, step: Step): () => void {
  let toldAt = deps.clock.now();
  return () => {
    const now = deps.clock.now();
    if (now - toldAt < TELL_MS) return;
    toldAt = now;
    const read = checkpoint.getStep(step);
    const endsAt = estimateEnd(read, now);
    const endsInMs = endsAt === undefined ? undefined : endsAt - now;
    deps.events.firstReadProgress({ step, count: read.count, total: read.total, endsInMs });
  };
}

/**
 * Records that a list is read. A section opens once all its lists are read, so that a provider is not told "not found"
 * too early.
 */
export async function closeStep({ deps, checkpoint }: StepRun, step: Step): Promise<void> {
  const { cursor: _, ...read } = checkpoint.getStep(step);
  const next = withStep(checkpoint.current(), step, { ...read, state: 'done' });
  await checkpoint.save(withEnd(withMembersAgain(next, step), deps.clock.now()));
  await checkpoint.open();
  const section = findSection(step);
  if (section === undefined) return;
  deps.events.firstRead({ step, count: read.count });
  const isRead = listStepsOf(section).every((one) => checkpoint.getStep(one).state === 'done');
  if (isRead) await saveSection(deps, section, null);
}

/** Finishes the first read when every list was read or refused; later changes do not undo that. */
function withEnd(progress: Progress, now: number): Progress {
  const isOver = progress.finishedAt === undefined && findOpenStep(progress) === undefined;
  return isOver ? { ...progress, finishedAt: now } : progress;
}

/** Reopens the lists of groups that were read before any user was known: their members can be stored now. */
function withMembersAgain(progress: Progress, step: Step): Progress {
  const isOfUsers = step === 'users' || step === 'companyUsers';
  const isUnknown = getStep(progress, 'restGroups').membersUnknown === true;
  return isOfUsers && isUnknown ? reopen(progress, listStepsOf('groups')) : progress;
}

/** Records that the service does not let us read a section: the rest serves, and it is asked again. */
export async function refuseStep(
  { deps, checkpoint }: StepRun,
  step: Step,
  problem: Problem,
): Promise<void> {
  const section = findSection(step);
  if (section === undefined) return;
  let next = checkpoint.current();
  for (const one of listStepsOf(section)) {
    next = withStep(next, one, { state: 'refused', count: 0 });
  }
  // The section comes first: a refused list must never look open.
  await saveSection(deps, section, problem);
  await checkpoint.save(withEnd(next, deps.clock.now()));
}

/** Asks closed sections again: a list that was never read is reopened, another costs one cheap call. */
export async function recheckSections({ deps, checkpoint }: StepRun): Promise<void> {
  const sections = await readSections(deps);
  for (const section of ['users', 'companyUsers', 'groups'] as const) {
    const steps = listStepsOf(section);
    const isUnread = steps.some((step) => checkpoint.getStep(step).state === 'refused');
    const problem = sections[section]?.problem;
    if (isUnread) await checkpoint.save(reopen(checkpoint.current(), steps));
    else if (problem) await isSectionUp(deps, section, problem);
  }
}

/**
 * Reads permissions, flags and REST ids of the groups, joins them with the SCIM groups, and then reads the members that
 * no list carried. The join needs both lists whole, so this list is kept as small entries and read again after a
 * restart; the members go on at the checkpoint.
 */
async function readRestGroups(context: FirstReadContext): Promise<StepResult> {
  const { deps, current, progress, save } = context;
  const { membersAfter = 0 } = current();
  await save({ state: 'open', count: 0, membersAfter });
  const sentAt = deps.clock.now();
  const list = await readRestList(context);
  if (list.result.kind === 'incomplete') return list.result;
  const since = getStep(progress(), 'groups').since ?? 0;
  const seen = await listSeenGroups(deps.store.read);
  const scim = seen.filter(({ scimId, seenAt }) => scimId !== undefined && seenAt >= since);
  const uids = list.groups.map(({ uid }) => uid);
  const join = joinGroups(scim, list.groups, await findDeletedGroups(deps.store.read, uids));
  await saveJoin(deps.store, join, { sentAt, now: deps.clock.now() });
  if (join.scimId !== undefined) await deps.quirks.learn({ groupScimId: join.scimId });
  await readMembers(context, new Map(list.groups.map(({ id, usersCount }) => [id, usersCount])));
  return list.result;
}

async function readRestList(
  context: FirstReadContext,
): Promise<{ groups: RestGroup[]; result: StepResult }> {
  const scimList = getStep(context.progress(), 'groups');
  const read = new Map<string, RestGroup>();
  const result = await readList(context, {
    operation: groups.getListOfGroups,
    // The service does not page at all with tree entities; the last way asks for nothing special.
    variants: [
      { query: { with_users_count: true } },
      { query: { with_users_count: true, with_tree_entities: true } },
      {},
    ],
    knownTotal: scimList.state === 'done' ? scimList.count : undefined,
    storePage(items) {
      for (const group of items.map(parseRestGroup)) read.set(group.uid, group);
      return { rows: async () => {} };
    },
  });
  return { groups: [...read.values()], result };
}
