import { foldCase } from '../../domain/fold.ts';
import type { JsonObject, JsonValue } from '../../domain/json.ts';
import {
  findOldestStuck,
  findSeatWait,
  type Refusal,
  type Stuck,
  withoutRest,
} from '../../domain/stuck.ts';
import type { DueClass } from '../schema.ts';

/** The columns that follow from the attributes of a user, so that indexes answer for them. */
export interface UserColumns {
  attributes: string;
  user_name: string;
  user_name_folded: string;
  display_name_folded: string | null;
  external_id: string | null;
  active: number;
}

/** The stored form of a user's attributes: the document, and what is indexed of it. */
export function toUserColumns(attributes: JsonObject): UserColumns {
  const userName = toText(attributes.userName) ?? '';
  const displayName = toText(attributes.displayName);
  return {
    attributes: JSON.stringify(attributes),
    user_name: userName,
    user_name_folded: foldCase(userName),
    display_name_folded: displayName === null ? null : foldCase(displayName),
    external_id: toText(attributes.externalId),
    active: attributes.active === false ? 0 : 1,
  };
}

/** The columns that follow from the attributes of a group. */
export interface GroupColumns {
  attributes: string;
  display_name: string;
  display_name_folded: string;
  external_id: string | null;
}

/** The stored form of a group's attributes: the document, and what is indexed of it. */
export function toGroupColumns(attributes: JsonObject): GroupColumns {
  const displayName = toText(attributes.displayName) ?? '';
  return {
    attributes: JSON.stringify(attributes),
    display_name: displayName,
    display_name_folded: foldCase(displayName),
    external_id: toText(attributes.externalId),
  };
}

function toText(value: JsonValue | undefined): string | null {
  return typeof value === 'string' ? value : null;
}

/**
 * The columns in which a row is to differ from what was read. Only these are written: what the same
 * transaction changed elsewhere in the row stays, and a short statement is a cheap one.
 */
export function toChangedColumns<Row extends object>(before: Row, after: Row): Partial<Row> {
  const changed: Partial<Row> = {};
  for (const name of Object.keys(after) as (keyof Row)[]) {
    if (after[name] !== before[name]) changed[name] = after[name];
  }
  return changed;
}

/**
 * Parses a document from a text column. Only this program writes there, so its shape is taken on trust; broken JSON
 * throws and stops the operation that met it.
 */
export function parseStored<T>(text: string): T {
  return JSON.parse(text) as T;
}

/** Columns of a deleted row with nothing left to do: another one stands for its account or group by now. */
export const HANDED_OVER = {
  ...{ pending: '{}', stuck: '{}', sent_creates: '[]', lost_looks: 0 },
  ...{ must_look: 0, attempts: 0, due_at: null, last_error: null },
  ...{ failing_since: null, stuck_at: null, unsure_since: null },
} as const;

/** Columns that hold the stuck fields of a user or group. */
export interface StuckColumns {
  readonly stuck: string;
  readonly stuck_at: number | null;
}

/** Parses the stuck fields of a row. */
export function parseStuck<Field extends string>({ stuck }: { stuck: string }): Stuck<Field> {
  return parseStored<Stuck<Field>>(stuck);
}

/** The columns that follow from what is stuck; `link`: the oldest of a group's users. */
export function toStuckColumns(stuck: Stuck<string>, link?: StuckLink): StuckColumns {
  const since = [findOldestStuck(stuck)?.since, link?.since].filter((at) => at !== undefined);
  return { stuck: JSON.stringify(stuck), stuck_at: since.length === 0 ? null : Math.min(...since) };
}

/** The columns that follow from what is stuck of a user, or waits for a free seat. */
export function toUserStuckColumns(
  stuck: Stuck<string>,
): StuckColumns & { readonly seat_since: number | null } {
  return { ...toStuckColumns(stuck), seat_since: findSeatWait(stuck)?.seatSince ?? null };
}

/** Stuck fields with their rest ended, as JSON text; used after a new observation of the service. */
export function toRested(row: { stuck: string }, now: number): string {
  return JSON.stringify(withoutRest(parseStuck(row), now));
}

/** A user whose change in a list the service refused. */
export interface StuckLink {
  /** Epoch milliseconds. */
  readonly since: number;
  readonly problem: Refusal;
}

/** Removal of access goes before everything else. */
export function toDueClass(removesAccess: boolean): DueClass {
  return removesAccess ? 0 : 1;
}
