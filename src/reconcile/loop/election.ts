import type { Clock } from '../../domain/clock.ts';
import type { Lead } from '../../store/leader.ts';
import type { Db, Store } from '../../store/store.ts';

/** The lead of this process. */
export interface OwnLead extends Lead {
  /** Epoch milliseconds. */
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

/** Events of the lead that telemetry is told. */
export interface ElectionEvents {
  /** This process leads from now on; `quietInMs`: nothing is sent before. */
  took(fields: { epoch: number; before: string | undefined; quietInMs: number }): void;
  /** It does not lead any more: another process has taken over, or it gave the lead up. */
  ended(fields: { epoch: number; how: 'lost' | 'given-up' }): void;
  /** Another process leads from now on. */
  follows(fields: { epoch: number; owner: string }): void;
  failed(fields: { type: string; id: string; error: unknown }): void;
}

/** Dependencies of an election. */
export interface ElectionDeps {
  readonly store: Store;
  readonly clock: Clock;
  /** Names this process. */
  readonly owner: string;
  /** Longest time in which a call that left may have an effect, in milliseconds. */
  readonly callMs: number;
  readonly events: ElectionEvents;
  readonly createTenure: (lead: OwnLead) => Promise<Tenure>;
  /** Stores what the next leader has to know of this process, with the end of the lead. */
  readonly handOver: (tx: Db) => Promise<void>;
}

/** Sees to it that one process on a store leads, and knows which. */
export interface Election {
  /** Leads from now on where nobody does. @throws what the start of a tenure throws */
  start(): Promise<void>;
  known(): KnownLeader | undefined;
  /** Gives the lead up, and takes it no more. */
  resign(): Promise<void>;
  stop(): Promise<void>;
}
