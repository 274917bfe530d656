import type { Db } from '../../store/store.ts';
import {
  FIRST_READ_FACT,
  findOpenStep,
  getStep,
  type Progress,
  readProgress,
  reopen,
  type Step,
  type StepProgress,
  saveProgress,
  withStep,
} from './progress.ts';
import { assertSameService, type KnownService, SERVICE } from './service.ts';
import type { FirstReadDeps } from './step.ts';

/** Checkpoint of a complete read: the stored progress, kept in memory because every request asks. */
export interface Checkpoint {
  current(): Progress;
  /** True once everything was read. */
  isFinished(): boolean;
  getStep(step: Step): StepProgress;
  /** Finds the next step to be read; undefined when none is left. */
  findOpenStep(): Step | undefined;
  /** Finds the service that the store belongs to, once it is known. */
  service(): KnownService | undefined;
  /** Reads the stored progress. @throws BridgeError `other-service` when it is of another service. */
  open(): Promise<void>;
  /** Reopens the step `service`, as every process does once: the company behind an address may have changed. */
  reopenService(): void;
  /** Stores new progress. */
  save(next: Progress): Promise<void>;
  /** Stores one step, in one transaction with its rows. */
  saveStep(step: Step, change: StepProgress, rows?: (tx: Db) => Promise<void>): Promise<void>;
}

/** Creates a checkpoint, to be opened before use. `fact` names its place in the store. */
export function createCheckpoint(
  { store, clock, identity }: FirstReadDeps,
  fact = FIRST_READ_FACT,
): Checkpoint {
  let progress: Progress = { steps: {} };
  let service: KnownService | undefined;

  async function save(next: Progress, rows?: (tx: Db) => Promise<void>): Promise<void> {
    progress = await store.write(async (tx) => {
      await rows?.(tx);
      return saveProgress(tx, { progress: next, fact, now: clock.now() });
    });
  }

  return {
    current: () => progress,
    isFinished: () => progress.finishedAt !== undefined,
    getStep: (step) => getStep(progress, step),
    findOpenStep: () => findOpenStep(progress),
    service: () => service,
    async open() {
      service = await SERVICE.find(store.read);
      if (service) assertSameService(service, { identity });
      progress = await readProgress(store.read, fact);
    },
    reopenService() {
      progress = reopen(progress, ['service']);
    },
    save: (next) => save(next),
    saveStep: (step, change, rows) => save(withStep(progress, step, change), rows),
  };
}

/** Lists that a complete read could read, by the question they answer. */
export interface ReadLists {
  /** Names, and active flags. */
  readonly users: boolean;
  /** Licences, suspensions. */
  readonly companyUsers: boolean;
  readonly groups: boolean;
  /** Members of the groups. */
  readonly members: boolean;
}

/** Tells which lists were read; a refused one proves nothing. */
export function toReadLists({ getStep }: Checkpoint): ReadLists {
  const isRead = (step: Step) => getStep(step).state === 'done';
  const [users, groups] = [isRead('users'), isRead('groups') && isRead('restGroups')];
  const isUnknown = getStep('restGroups').membersUnknown === true;
  const members = users && groups && !isUnknown;
  return { users, companyUsers: isRead('companyUsers'), groups, members };
}
