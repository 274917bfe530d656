import { findOldestStuck, type Refusal, type Stuck, withoutRest } from '../domain/stuck.ts';
import { parseStored } from './documents.ts';

/** What is stuck of a person or a group. */
export interface StuckColumns {
  readonly stuck: string;
  readonly stuck_at: number | null;
}

/** What is stuck, per field. */
export function parseStuck<Field extends string>({ stuck }: { stuck: string }): Stuck<Field> {
  return parseStored<Stuck<Field>>(stuck);
}

/** The columns that follow from what is stuck; `link`: the oldest of a group's people. */
export function toStuckColumns(stuck: Stuck<string>, link?: StuckLink): StuckColumns {
  const since = [findOldestStuck(stuck)?.since, link?.since].filter((at) => at !== undefined);
  return { stuck: JSON.stringify(stuck), stuck_at: since.length === 0 ? null : Math.min(...since) };
}

/** What is stuck, to be tried now: what the service holds was seen anew. */
export function toRested(row: { stuck: string }, now: number): string {
  return JSON.stringify(withoutRest(parseStuck(row), now));
}

/** A person whose change in a list the service refused. */
export interface StuckLink {
  /** Epoch milliseconds. */
  readonly since: number;
  readonly problem: Refusal;
}
