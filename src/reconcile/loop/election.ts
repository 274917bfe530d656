import type { Clock } from '../../domain/clock.ts';
import { createLoop, type Loop } from '../../domain/loop.ts';
import { StoreError } from '../../store/engine/store-error.ts';
import {
  findLeader,
  LEASE_MS,
  type Lead,
  type LeaderRow,
  renewLead,
  takeLead,
  yieldLead,
} from '../../store/leader.ts';
import type { Store } from '../../store/store.ts';
import type { Events } from '../../telemetry/events.ts';
import { isNotLeading } from '../job.ts';

/** The lead of this process. */
export interface OwnLead extends Lead {
  readonly since: number;
  /** False once another process may have taken over: nothing leaves then. Absent: no other process can. */
  readonly isSure?: () => boolean;
}

/** Work of a process while it leads. */
export interface Tenure {
  start(): Promise<void>;
  /** Ends what runs; calls that wait for their turn are dropped. */
  stop(): Promise<void>;
  /** News for the other processes, as JSON text. */
  readNews(): Promise<string>;
}

/** The leader, as far as this process knows. */
export interface KnownLeader extends Lead {
  readonly since: number;
  readonly isSelf: boolean;
  /** False: it has not been heard of for so long that another process may take over. */
  readonly isAlive: boolean;
  readonly news: string | null;
}

/** Dependencies of an election. */
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

/** A lead while it lasts. */
class Term {
  readonly lead: OwnLead;
  /** The calls of the leader before have ended. */
  isQuiet: boolean;
  readonly #deps: ElectionDeps;
  /** Ends the wait for the calls of the leader before. */
  readonly #over = new AbortController();
  /** Resolves when the tenure has started. */
  readonly begun: Promise<void>;
  #tenure: Tenure | undefined;
  /** Until the tenure has started, the news of the leader before hold. */
  #isOpen = false;

  /** `before`: the end of the last term of this process. */
  constructor(deps: ElectionDeps, lead: OwnLead, quietInMs: number, before: Promise<void>) {
    this.#deps = deps;
    this.lead = lead;
    this.isQuiet = quietInMs === 0;
    this.begun = before.then(() => this.#open(quietInMs));
  }

  /** The news for the other processes; null: those that are known hold. */
  async readNews(): Promise<string | null> {
    return this.#isOpen ? ((await this.#tenure?.readNews()) ?? null) : null;
  }

  async end(): Promise<void> {
    this.#over.abort();
    await this.begun.catch(() => undefined);
    await this.#tenure?.stop();
  }

  /** Waits until nothing is under way any more, and tries again while the store does not answer. */
  async #open(quietInMs: number): Promise<void> {
    const { clock, createTenure } = this.#deps;
    const { signal } = this.#over;
    if (quietInMs > 0) await clock.sleep(quietInMs, signal);
    while (!this.#isOpen) {
      signal.throwIfAborted();
      this.isQuiet = true;
      try {
        await this.#tenure?.stop();
        this.#tenure = await createTenure(this.lead);
        await this.#tenure.start();
        this.#isOpen = true;
      } catch (error) {
        if (!(error instanceof StoreError)) throw error;
        await clock.sleep(BEAT_MS, signal);
      }
    }
  }
}

/** The part of one process among several in the election: the row of the leader says who leads. */
class SharedElection {
  readonly #deps: ElectionDeps;
  readonly #loop: Loop;
  #term: Term | undefined;
  /** End of the last term of this process. */
  #ended: Promise<void> = Promise.resolve();
  #sureUntilMs = 0;
  #seen: { readonly row: LeaderRow; readonly atMs: number } | undefined;
  #isResigned = false;
  #beat: Promise<void> = Promise.resolve();

  constructor(deps: ElectionDeps) {
    this.#deps = deps;
    const onFailure = (error: unknown) => this.#fail(error);
    const listen = (tell: () => void) => deps.store.bell.listen('leader', tell);
    const timing = { clock: deps.clock, onFailure, restMs: BEAT_MS, firstMs: BEAT_MS, listen };
    this.#loop = createLoop(timing, async () => {
      await this.#beatOnce();
      return undefined;
    });
  }

  /** Leads from now on where nobody does. @throws what the start of a tenure throws */
  async start(): Promise<void> {
    await this.#beatOnce();
    // A leader before that may still be calling is not waited for: writes are accepted meanwhile.
    if (this.#term?.isQuiet) await this.#term.begun;
    this.#loop.start();
  }

  known(): KnownLeader | undefined {
    if (this.#seen === undefined) return undefined;
    const { owner, epoch, since, expires_at, now, news } = this.#seen.row;
    const leftMs = expires_at - now - (performance.now() - this.#seen.atMs);
    const isSelf = owner === this.#deps.owner && this.#term !== undefined;
    return { owner, epoch, since, news, isSelf, isAlive: leftMs > 0 };
  }

  /** Gives the lead up, and takes it no more. */
  async resign(): Promise<void> {
    this.#isResigned = true;
    // It may be taking the lead just now.
    await this.#beat;
    const term = this.#term;
    await (term?.end() ?? this.#ended);
    if (term === undefined || this.#term !== term) return;
    this.#term = undefined;
    // A renewal that is on its way must not come after it.
    await this.#beat;
    await this.#yield(term);
  }

  async stop(): Promise<void> {
    await this.resign();
    await this.#loop.stop();
    await this.#ended;
  }

  async #yield({ lead, isQuiet }: Term): Promise<void> {
    const { store, events } = this.#deps;
    try {
      await store.write((tx) => yieldLead(tx, lead, isQuiet));
      store.bell.ring('leader');
    } catch {
      // It ends by itself, a few seconds later.
    }
    events.leadEnded({ epoch: lead.epoch, how: 'given-up' });
  }

  #beatOnce(): Promise<void> {
    const beat = this.#term ? this.#renew(this.#term) : this.#look();
    this.#beat = beat.catch((error: unknown) => {
      // While the store does not answer nobody can lead, and others tell of it.
      if (!(error instanceof StoreError)) this.#fail(error);
    });
    return this.#beat;
  }

  async #renew(term: Term): Promise<void> {
    const news = await term.readNews();
    const askedAtMs = performance.now();
    const { store, callMs } = this.#deps;
    const row = await renewLead(store, { ...term.lead, news }, callMs);
    if (row !== undefined) {
      this.#sureUntilMs = askedAtMs + LEASE_MS;
      this.#see(row);
    } else if (this.#term === term) {
      this.#term = undefined;
      this.#ended = term.end().catch((error: unknown) => this.#fail(error));
      this.#deps.events.leadEnded({ epoch: term.lead.epoch, how: 'lost' });
    }
  }

  async #look(): Promise<void> {
    const { store, owner, callMs, events } = this.#deps;
    const row = await findLeader(store);
    if (row !== undefined) this.#see(row);
    const isFree = row === undefined || row.expires_at <= row.now;
    if (!isFree || this.#isResigned) return;
    const askedAtMs = performance.now();
    const taken = await store.write((tx) => takeLead(tx, owner, callMs));
    if (taken === undefined) return;
    const { epoch, since, quietInMs, before } = taken;
    this.#sureUntilMs = askedAtMs + LEASE_MS;
    const isSure = () => this.#term?.lead === lead && performance.now() < this.#sureUntilMs;
    const lead: OwnLead = { owner, epoch, since, isSure };
    const term = new Term(this.#deps, lead, quietInMs, this.#ended);
    this.#term = term;
    events.leadTaken({ epoch, before, quietInMs });
    store.bell.ring('leader');
    term.begun.then(this.#loop.tell, (error: unknown) => this.#abandon(term, error));
  }

  #see(row: LeaderRow): void {
    const { owner, epoch } = row;
    const isNew = epoch !== this.#seen?.row.epoch && owner !== this.#deps.owner && epoch > 0;
    this.#seen = { row, atMs: performance.now() };
    if (isNew) this.#deps.events.leaderChanged({ epoch, owner });
  }

  /** A process that cannot begin leaves the lead to another one. */
  async #abandon(term: Term, error: unknown): Promise<void> {
    if (this.#term !== term || this.#isResigned) return;
    this.#fail(error);
    this.#term = undefined;
    await this.#yield(term);
  }

  #fail(error: unknown): void {
    if (isNotLeading(error)) return;
    this.#deps.events.failed({ type: 'leader', id: this.#deps.owner, error });
  }
}

/** Sees to it that one process on a store leads, and knows which. A file has one process, which leads. */
export function createElection(deps: ElectionDeps) {
  return deps.store.engine === 'sqlite' ? createSoleLeader(deps) : new SharedElection(deps);
}

function createSoleLeader({ clock, owner, createTenure }: ElectionDeps) {
  const lead: OwnLead = { owner, epoch: 1, since: clock.now() };
  let tenure: Tenure | undefined;
  async function resign(): Promise<void> {
    await tenure?.stop();
    tenure = undefined;
  }
  return {
    async start() {
      tenure = await createTenure(lead);
      await tenure.start();
    },
    known: (): KnownLeader => ({ ...lead, isSelf: true, isAlive: true, news: null }),
    resign,
    stop: resign,
  };
}
