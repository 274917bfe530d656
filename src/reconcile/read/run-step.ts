import { touchAllUsers } from '../../store/links/shown.ts';
import type { Problem } from '../outcome.ts';
import { isSectionUp, readSections, saveSection } from '../sections.ts';
import type { Book } from './book.ts';
import {
  findOpenStep,
  findSection,
  getStep,
  listStepsOf,
  type Progress,
  reopen,
  type Step,
  withStep,
} from './progress.ts';
import { readCompanyUsers } from './read-company-users.ts';
import { readGroups } from './read-groups.ts';
import { readRestGroups } from './read-rest-groups.ts';
import { readUsers } from './read-users.ts';
import { readService } from './service.ts';
import type { FirstReadContext, FirstReadDeps, StepResult } from './step.ts';

const READERS: { readonly [S in Step]: (context: FirstReadContext) => Promise<StepResult> } = {
  service: readService,
  users: readUsers,
  companyUsers: readCompanyUsers,
  groups: readGroups,
  restGroups: readRestGroups,
};

/** What the steps of one first read share. */
export interface StepRun {
  readonly deps: FirstReadDeps;
  readonly book: Book;
  readonly signal: AbortSignal;
}

/** Reads one list from its checkpoint on. @throws what a call of it throws. */
export async function runStep({ deps, book, signal }: StepRun, step: Step): Promise<StepResult> {
  return READERS[step]({
    deps,
    signal,
    progress: () => book.current(),
    current: () => book.getStep(step),
    save: (checkpoint, rows) => book.saveStep(step, checkpoint, rows),
  });
}

/** Records that a list is read. A section opens once all its lists are, so that nobody is told "not found" too early. */
export async function closeStep({ deps, book }: StepRun, step: Step): Promise<void> {
  // Before the step counts as read: a crash in between reads the list again, and ends here again.
  if (step === 'restGroups') await touchAllUsers(deps.store, deps.clock.now());
  const { cursor: _, ...read } = book.getStep(step);
  const next = withStep(book.current(), step, { ...read, state: 'done' });
  await book.save(withEnd(withMembersAgain(next, step), deps.clock.now()));
  await book.open();
  const section = findSection(step);
  if (section === undefined) return;
  deps.events.firstRead({ step, count: read.count });
  const isRead = listStepsOf(section).every((one) => book.getStep(one).state === 'done');
  if (isRead) await saveSection(deps, section, null);
}

/** The first read is finished when every list was read or refused; what comes later does not undo that. */
function withEnd(progress: Progress, now: number): Progress {
  const isOver = progress.finishedAt === undefined && findOpenStep(progress) === undefined;
  return isOver ? { ...progress, finishedAt: now } : progress;
}

/** Groups that were read while nobody was known are read again once people are: they have members now. */
function withMembersAgain(progress: Progress, step: Step): Progress {
  const isPeople = step === 'users' || step === 'companyUsers';
  const isUnknown = getStep(progress, 'restGroups').membersUnknown === true;
  return isPeople && isUnknown ? reopen(progress, listStepsOf('groups')) : progress;
}

/** Records that the service does not let us read a section: the rest serves, and it is asked again. */
export async function refuseStep(
  { deps, book }: StepRun,
  step: Step,
  problem: Problem,
): Promise<void> {
  const section = findSection(step);
  if (section === undefined) return;
  let next = book.current();
  for (const one of listStepsOf(section)) {
    next = withStep(next, one, { state: 'refused', count: 0 });
  }
  // The section first: a list that counts as refused must never look open.
  await saveSection(deps, section, problem);
  await book.save(withEnd(next, deps.clock.now()));
}

/** Asks closed sections again: lists that were never read are to be read now, others need one cheap call. */
export async function recheckSections({ deps, book }: StepRun): Promise<void> {
  const sections = await readSections(deps);
  for (const section of ['users', 'companyUsers', 'groups'] as const) {
    const steps = listStepsOf(section);
    const isUnread = steps.some((step) => book.getStep(step).state === 'refused');
    const problem = sections[section]?.problem;
    if (isUnread) await book.save(reopen(book.current(), steps));
    else if (problem) await isSectionUp(deps, section, problem);
  }
}
