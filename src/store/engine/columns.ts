import type { Sql } from 'sql-template-tag';
import sql, { raw } from 'sql-template-tag';
import { findCreationAddress } from '../../domain/address.ts';
import { alignLicences } from '../../domain/assignment.ts';
import type { Cells } from '../../domain/cell.ts';
import { listWaiting } from '../../domain/cell.ts';
import { withSchemas } from '../../domain/extensions.ts';
import { findLeast, findSeatSince, listStuck } from '../../domain/failure.ts';
import type { Field } from '../../domain/kinds.ts';
import type { JsonObject, JsonValue } from '../../domain/values.ts';
import { foldCase } from '../../domain/values.ts';
import type { Origin } from '../schema.ts';
import type { Row } from '../tables.ts';
import { literal } from './dialect.ts';

/** The stored form of the attributes of a user or group: the document, and what is indexed of it. */
export function toColumns(type: 'user' | 'group', attributes: JsonObject) {
  const isUser = type === 'user';
  const name = toText(isUser ? attributes.userName : attributes.displayName) ?? '';
  return {
    attributes: withSchemas(type, isUser ? alignLicences(attributes) : attributes),
    name,
    name_folded: foldCase(name),
    external_id: toText(attributes.externalId),
    display_folded: isUser ? fold(attributes.displayName) : null,
    address_folded: isUser ? fold(findCreationAddress(attributes)) : null,
    active: isUser && attributes.active === false ? 0 : 1,
  };
}

const fold = (value: JsonValue | undefined) => (typeof value === 'string' ? foldCase(value) : null);

const toText = (value: JsonValue | undefined) => (typeof value === 'string' ? value : null);

/** Parses a document of a text column, which only this program writes; broken JSON throws. */
export function parseStored<T>(text: string): T {
  return JSON.parse(text) as T;
}

/** Columns of a row of which nothing waits, fails or is unsure. */
export const NOTHING_OPEN = {
  cells: {},
  sent_creates: [],
  must_look: 0,
  attempts: 0,
  due_at: null,
  last_error: null,
  failing_since: null,
  stuck_at: null,
  unsure_until: null,
  asked_kind: null,
} as const;

/** True when both are the same as JSON. */
export const isSameJson = (one: unknown, other: unknown) =>
  one === other || JSON.stringify(one) === JSON.stringify(other);

/** True when a field of the row waits. */
export const hasWaiting = ({ cells }: { readonly cells: Cells<string> }) =>
  listWaiting(cells).length > 0;

/** Condition of a row in which this field waits, or any. The text of a cell begins with what waits, and quotes of values are escaped. */
export function waits(column: string, field?: Field): Sql {
  const cell = field === undefined ? '' : `"${field}":{`;
  return sql`${raw(column)} like ${literal(`%${cell}"pending":%`)}`;
}

/** The columns of cells, and since when something of them is stuck or waits for a seat; `link`: since when a user of a group is. */
export function toCellColumns(
  cells: Cells<string>,
  link?: number | null,
): Pick<Row<'resources'>, 'cells' | 'stuck_at' | 'seat_since'> {
  const since = listStuck(cells).map(([, failure]) => failure.since);
  const stuck_at = findLeast(link == null ? since : [...since, link]) ?? null;
  return { cells, stuck_at, seat_since: findSeatSince(cells) ?? null };
}

/** Columns of a tombstone: in no answer from now on, and kept so that no late read brings the resource back. */
export function toTombstone(
  row: { readonly origin: Origin | null; readonly provider: string; readonly version: number },
  { isDue, now, provider }: { isDue: boolean; now: number; provider: string },
) {
  return {
    origin: row.origin ?? ('adopted' as const),
    provider: row.origin === null ? provider : row.provider,
    deleted_at: now,
    version: row.version + 1,
    modified_at: now,
    due_at: isDue ? now : null,
    // Removal of access goes before everything else.
    due_class: 0 as const,
  };
}
