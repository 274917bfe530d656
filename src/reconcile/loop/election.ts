import type { Clock, Loop } from '../../domain/clock.ts';
import { StoreError } from '../../store/engine/store-error.ts';
import type { Lead, LeaderRow } from '../../store/leader.ts';
import { findLeader, LEASE_MS, renewLead, takeLead, yieldLead } from '../../store/leader.ts';
import type { Store } from '../../store/store.ts';
import type { Events } from '../../telemetry/events.ts';
import { createJob, isNotLeading } from '../job.ts';

/** The lead of this process. */
export interface OwnLead extends Lead {
  readonly since: number;
  /** False once another process may have taken over: nothing leaves then. Absent: no other process can. */
  readonly isSure?: () => boolean;
}

/** The leader, as far as this process knows. */
export interface KnownLeader extends Lead {
  readonly since: number;
  readonly isSelf: boolean;
  /** False: it has not been heard of for so long that another process may take over. */
  readonly isAlive: boolean;
  readonly news: string | null;
}

interface Tenure {
  start(): Promise<void>;
  /** Ends what runs; calls that wait for their turn are dropped. */
  stop(): Promise<void>;
  /** News for the other processes, as JSON text. */
  readNews(): Promise<string>;
}

interface ElectionDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly owner: string;
  /** Longest time in which a call that left may have an effect, in milliseconds. */
  readonly callMs: number;
  readonly events: Events;
  readonly createTenure: (lead: OwnLead) => Promise<Tenure>;
}

/** Interval at which a leader says that it leads, and others ask whether one does, in milliseconds. */
const BEAT_MS = 1_000;

/** Sees to it that one process on a store leads, and knows which. A file has one process, which leads. */
export function createElection(deps: ElectionDeps) {
  return deps.store.engine === 'sqlite' ? createSoleLeader(deps) : new SharedElection(deps);
}

/** @throws what the start of a tenure throws, once it has stopped */
async function beginTenure({ createTenure }: ElectionDeps, lead: OwnLead): Promise<Tenure> {
  const tenure = await createTenure(lead);
  await tenure.start().catch(async (error: unknown) => {
    await tenure.stop();
    throw error;
  });
  return tenure;
}

function createSoleLeader(deps: ElectionDeps) {
  const lead: OwnLead = { owner: deps.owner, epoch: 1, since: deps.clock.now() };
  let begun: Promise<Tenure | undefined> = Promise.resolve(undefined);
  const resign = async () => (await begun.catch(() => undefined))?.stop();
  return {
    async start() {
      begun = beginTenure(deps, lead);
      await begun;
    },
    known: (): KnownLeader => ({ ...lead, isSelf: true, isAlive: true, news: null }),
    resign,
    stop: resign,
  };
}

/** The part of one process among several in the election: the row of the leader says who leads. */
class SharedElection {
  readonly #deps: ElectionDeps;
  readonly #loop: Loop;
  #lead: OwnLead | undefined;
  /** The calls of the leader before have ended. */
  #isQuiet = false;
  #begun: Promise<Tenure | undefined> = Promise.resolve(undefined);
  #over = new AbortController();
  #tenure: Tenure | undefined;
  #lastTenureEnded: Promise<void> = Promise.resolve();
  #lastBeat: Promise<void> = Promise.resolve();
  #sureUntilMs = 0;
  #seen: { readonly row: LeaderRow; readonly atMs: number } | undefined;
  #isResigned = false;

  constructor(deps: ElectionDeps) {
    this.#deps = deps;
    const rests = { restMs: BEAT_MS, firstMs: BEAT_MS };
    const job = { type: 'leader', id: deps.owner, topic: 'leader', ...rests } as const;
    this.#loop = createJob(deps, job, () => this.#beat().then(() => undefined));
  }

  /** Leads from now on where nobody does. @throws what the start of a tenure throws */
  async start(): Promise<void> {
    await this.#beat();
    // A leader before that may still be calling is not waited for: writes are accepted meanwhile.
    if (this.#lead !== undefined && this.#isQuiet) await this.#begun;
    this.#loop.start();
  }

  known(): KnownLeader | undefined {
    if (this.#seen === undefined) return undefined;
    const { owner, epoch, since, expires_at, now, news } = this.#seen.row;
    // A clock that was set back makes a lease look longer than a lease can be.
    const leftMs = Math.min(expires_at - now, LEASE_MS) - (performance.now() - this.#seen.atMs);
    const isSelf = owner === this.#deps.owner && this.#lead !== undefined;
    return { owner, epoch, since, news, isSelf, isAlive: leftMs > 0 };
  }

  async resign(): Promise<void> {
    this.#isResigned = true;
    // It may be taking the lead just now.
    await this.#lastBeat;
    const lead = this.#lead;
    await (lead === undefined ? this.#lastTenureEnded : this.#end());
    if (lead !== undefined) await this.#giveUp(lead);
  }

  async stop(): Promise<void> {
    await this.resign();
    await this.#loop.stop();
    await this.#lastTenureEnded;
  }

  async #giveUp(lead: OwnLead): Promise<void> {
    if (this.#lead !== lead) return;
    this.#lead = undefined;
    // A renewal that is on its way must not come after it.
    await this.#lastBeat;
    const { store, events } = this.#deps;
    const yielded = store.write((tx) => yieldLead(tx, lead, this.#isQuiet));
    // If that fails, it ends by itself, a few seconds later.
    await yielded.then(
      () => store.bell.ring('leader'),
      () => undefined,
    );
    events.leadEnded({ epoch: lead.epoch, how: 'given-up' });
  }

  #beat(): Promise<void> {
    const beat = this.#lead ? this.#renew(this.#lead) : this.#look();
    this.#lastBeat = beat.catch((error: unknown) => {
      // While the store does not answer nobody can lead, and others tell of it.
      if (!(error instanceof StoreError)) this.#fail(error);
    });
    return this.#lastBeat;
  }

  async #renew(lead: OwnLead): Promise<void> {
    // Until the tenure has started, the news of the leader before hold.
    const news = (await this.#tenure?.readNews()) ?? null;
    const askedAtMs = performance.now();
    const { store, callMs, events } = this.#deps;
    const row = await renewLead(store, { ...lead, news }, callMs);
    if (row !== undefined) {
      this.#sureUntilMs = askedAtMs + LEASE_MS;
      this.#see(row);
    } else if (this.#lead === lead) {
      this.#lead = undefined;
      this.#lastTenureEnded = this.#end().catch((error: unknown) => this.#fail(error));
      events.leadEnded({ epoch: lead.epoch, how: 'lost' });
    }
  }

  async #look(): Promise<void> {
    const { store, owner, callMs, events } = this.#deps;
    const row = await findLeader(store);
    if (row !== undefined) this.#see(row);
    if (this.known()?.isAlive || this.#isResigned) return;
    const askedAtMs = performance.now();
    const taken = await store.write((tx) => takeLead(tx, owner, callMs, row?.expires_at));
    if (taken === undefined) return;
    const { epoch, since, quietInMs, before } = taken;
    this.#sureUntilMs = askedAtMs + LEASE_MS;
    const isSure = () => this.#lead === lead && performance.now() < this.#sureUntilMs;
    const lead: OwnLead = { owner, epoch, since, isSure };
    this.#lead = lead;
    this.#isQuiet = quietInMs === 0;
    this.#over = new AbortController();
    this.#begun = this.#begin(lead, quietInMs, this.#over.signal);
    events.leadTaken({ epoch, before, quietInMs });
    store.bell.ring('leader');
    this.#begun.then(this.#loop.tell, async (error: unknown) => {
      // A process that cannot begin leaves the lead to another one, or takes it anew.
      if (this.#lead !== lead || this.#isResigned) return;
      this.#fail(error);
      await this.#giveUp(lead);
    });
  }

  async #begin(lead: OwnLead, quietInMs: number, signal: AbortSignal): Promise<Tenure> {
    await this.#lastTenureEnded;
    if (quietInMs > 0) await this.#deps.clock.sleep(quietInMs, signal);
    signal.throwIfAborted();
    this.#isQuiet = true;
    this.#tenure = await beginTenure(this.#deps, lead);
    return this.#tenure;
  }

  async #end(): Promise<void> {
    this.#over.abort();
    const tenure = await this.#begun.catch(() => undefined);
    this.#tenure = undefined;
    await tenure?.stop();
  }

  #see(row: LeaderRow): void {
    const { owner, epoch, expires_at } = row;
    const last = this.#seen?.row;
    if (epoch === last?.epoch && expires_at === last.expires_at) return;
    const isNew = epoch !== last?.epoch && owner !== this.#deps.owner && epoch > 0;
    this.#seen = { row, atMs: performance.now() };
    if (isNew) this.#deps.events.leaderChanged({ epoch, owner });
  }

  #fail(error: unknown): void {
    if (isNotLeading(error)) return;
    this.#deps.events.failed({ type: 'leader', id: this.#deps.owner, error });
  }
}
