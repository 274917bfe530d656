import { type Cells, isWaiting } from '../../domain/cell.ts';
import { listChangedFields } from '../../domain/change.ts';
import { isAsked } from '../../domain/combine.ts';
import { GROUP_EXTENSION, toExtension, USER_EXTENSION } from '../../domain/extensions.ts';
import type { JsonObject, JsonValue } from '../../domain/json.ts';
import { type RuleBook, type Rulings, toRuleText } from '../../domain/rule-book.ts';
import { parseStored } from '../../store/engine/columns.ts';
import type { ActionKey } from '../../store/plans.ts';
import type { ResourceRow } from '../../store/resources/rows.ts';
import type { OpsJson } from '../schemas/schemas.ts';

/** A user or group whose fields are explained. */
export interface Explained<Field extends string> {
  readonly row: ResourceRow;
  readonly state: {
    readonly observed?: object | undefined;
    readonly mustLook: boolean;
    readonly cells: Cells<Field>;
  };
  /** Fields in which the service holds something else. */
  readonly differing: readonly Field[];
  /** Changes that a plan holds back. */
  readonly held: readonly ActionKey[];
  readonly book: RuleBook;
  readonly rulings: Rulings<Field>;
}

/** Explains a field that a provider or a rule may want, with what the service holds. */
export function toField<Field extends string>(
  { row: { origin, stuck_at }, state, differing, held }: Explained<Field>,
  field: Field,
  [wanted, seen]: readonly [JsonValue | undefined, JsonValue],
): OpsJson<'Field'> {
  const toStanding = () => {
    if (origin === null || wanted === undefined) return 'not ours';
    if (isWaiting(state.cells[field])) return stuck_at === null ? 'pending' : 'stuck';
    if (state.observed === undefined || state.mustLook) return 'unknown';
    if (!differing.includes(field)) return 'settled';
    const isHeld = held.some(({ kind }) => listChangedFields(kind).some((name) => name === field));
    return isHeld ? 'held' : 'drifted';
  };
  return {
    field,
    desired: origin === null ? null : (wanted ?? null),
    observed: seen,
    from: toOwner(origin, wanted),
    standing: toStanding(),
  };
}

/** The owner of an ordinary attribute. */
export function toOwner(origin: ResourceRow['origin'], value: unknown): string | null {
  if (value === undefined) return null;
  return origin === null ? 'service' : 'provider';
}

/** Explains a field of an extension, which a rule may give: with a note of the rule that does not apply. */
export function toRuledField<Field extends string>(
  it: Explained<Field>,
  field: Field,
  values: readonly [JsonValue | undefined, JsonValue],
): OpsJson<'Field'> {
  const { row, state, book, rulings } = it;
  const urn = row.type === 'user' ? USER_EXTENSION : GROUP_EXTENSION;
  const attributes = parseStored<JsonObject>(row.attributes);
  const ruling = row.origin === null ? undefined : rulings[field];
  const rule = ruling && toRuleWords(book, ruling.rule);
  const plain = toField(it, field, values);
  if (isAsked({ attributes, cells: state.cells, urn }, field)) {
    const from = toOwner(row.origin, true);
    return { ...plain, from, ...(rule !== undefined && { note: `It goes before ${rule}.` }) };
  }
  if (toExtension(attributes, urn)[field] === undefined) {
    const note = `${rule} does not apply: the person is protected.`;
    return { ...plain, from: null, ...(rule !== undefined && { note }) };
  }
  if (state.cells[field]?.source?.by === 'service')
    return { ...plain, from: 'service', note: 'As it was at the takeover.' };
  return { ...plain, from: rule ?? REPLACED };
}

/** Owner of what a rule gave that is there no more. */
const REPLACED = 'a rule that is being replaced';

/** A rule by its place in the list and its text. @param number undefined: it is there no more */
export function toRuleWords({ rules }: RuleBook, number: number | undefined): string {
  if (number === undefined) return REPLACED;
  const rule = rules[number - 1];
  return `rule ${number}: ${rule ? toRuleText(rule) : '(gone)'}`;
}

/** Attributes that the service has a place for. */
const HELD = {
  user: new Set(['userName', 'name', 'emails', 'active', USER_EXTENSION]),
  group: new Set(['displayName', GROUP_EXTENSION]),
};

/** The attributes that the service has no place for, so that the bridge alone keeps them. */
export function listKept(row: ResourceRow): OpsJson<'Field'>[] {
  if (row.origin === null) return [];
  const { schemas: _, ...attributes } = parseStored<JsonObject>(row.attributes);
  const kept = Object.entries(attributes).filter(([name]) => !HELD[row.type].has(name));
  const rest = { observed: null, from: 'provider', standing: 'bridge only' } as const;
  return kept.map(([field, desired]) => ({ field, desired, ...rest }));
}
