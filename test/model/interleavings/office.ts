import type { Lead } from '../../../src/store/leader.ts';
import type { Store } from '../../../src/store/store.ts';
import { deleteWhere, insertOne } from '../../../src/store/tables.ts';
import type { Scheduler } from './scheduler.ts';

const LEASE_MS = 5_000;
/** How long a leader that was taken over may go on without knowing it, in milliseconds. */
const UNAWARE_MS = 2_000;

/** A process as far as leading is concerned. */
export interface Candidate {
  readonly name: string;
  readonly isAlive: boolean;
  readonly store: Store;
  open(lead: Lead): void;
  close(): Promise<void>;
}

/** Who leads in a schedule: as the election has it, with time that the scheduler lets pass. */
export type Office = ReturnType<typeof createOffice>;

/** An office that nobody has yet. `callMs`: as long as a call of the leader before is waited for. */
export function createOffice(
  store: Store,
  scheduler: Scheduler,
  { callMs, onFailure }: { callMs: number; onFailure: (error: unknown) => void },
) {
  const candidates: Candidate[] = [];
  let holder: Candidate | undefined;
  let epoch = 0;
  let sureUntil = Number.POSITIVE_INFINITY;
  let changes = 0;

  /** Not a step of the schedule where the process leads from its beginning. */
  async function enter(into: Store, { name }: Candidate): Promise<Lead> {
    const lead = { owner: name, epoch: epoch + 1 };
    await into.write(async (tx) => {
      await deleteWhere(tx, 'leader', {});
      const times = { since: 0, expires_at: 0, quiet_at: 0, news: null };
      await insertOne(tx, 'leader', { id: 1, ...lead, ...times });
    });
    epoch += 1;
    sureUntil = Number.POSITIVE_INFINITY;
    return lead;
  }

  async function takeOver(next: Candidate): Promise<void> {
    const clock = scheduler.clock(next.name);
    await clock.sleep(LEASE_MS);
    const before = holder;
    holder = next;
    const lead = await enter(next.store, next);
    if (before?.isAlive) void leave(before);
    await clock.sleep(callMs);
    next.open(lead);
  }

  async function leave(before: Candidate): Promise<void> {
    await scheduler.clock(before.name).sleep(UNAWARE_MS);
    await before.close();
  }

  function change(): void {
    const next = candidates.find((one) => one.isAlive && one !== holder);
    if (next === undefined) return;
    changes += 1;
    takeOver(next)
      .catch(onFailure)
      .finally(() => {
        changes -= 1;
      });
  }

  return {
    isSure: (lead: Lead) => lead.epoch === epoch && scheduler.now() < sureUntil,
    async join(candidate: Candidate) {
      candidates.push(candidate);
      if (holder === undefined) {
        holder = candidate;
        candidate.open(await enter(store, candidate));
      } else if (!holder.isAlive && changes === 0) change();
    },
    /** The leader is not heard of any more, dead or alive: another one takes over when its lease is over. */
    silence(random: () => number) {
      if (sureUntil !== Number.POSITIVE_INFINITY) return;
      sureUntil = scheduler.now() + (holder?.isAlive ? LEASE_MS * random() : 0);
      change();
    },
    get isChanging() {
      return changes > 0 && candidates.some(({ isAlive }) => isAlive);
    },
  };
}
