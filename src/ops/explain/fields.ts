import { type Cells, isWaiting } from '../../domain/cell.ts';
import { listChangedFields } from '../../domain/change.ts';
import { isAsked } from '../../domain/combine.ts';
import { GROUP_EXTENSION, toExtension, USER_EXTENSION } from '../../domain/extensions.ts';
import type { JsonObject, JsonValue } from '../../domain/json.ts';
import type { RuleBook, Rulings } from '../../domain/rule-book.ts';
import { toRuleText } from '../../domain/rule-book.ts';
import { parseStored } from '../../store/engine/columns.ts';
import type { ActionKey } from '../../store/plans.ts';
import type { LinkView } from '../../store/resources/lists.ts';
import type { ResourceRow } from '../../store/resources/rows.ts';
import { toView } from '../http/view.ts';
import type { OpsJson } from '../schemas/schemas.ts';

type Standing = OpsJson<'Member'>['standing'];

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
}

/** Explains a field that a provider or a rule may want, with what the service holds. */
export function toField<Field extends string>(
  explained: Explained<Field>,
  field: Field,
  [wanted, seen]: readonly [JsonValue | undefined, JsonValue],
): OpsJson<'Field'> {
  const { origin } = explained.row;
  return {
    field,
    desired: origin === null ? null : (wanted ?? null),
    observed: seen,
    from: toOwner(explained.row, wanted),
    standing: toStanding(explained, field, wanted),
  };
}

function toStanding<Field extends string>(
  { row: { origin, stuck_at }, state, differing, held }: Explained<Field>,
  field: Field,
  wanted: JsonValue | undefined,
): Standing {
  if (origin === null || wanted === undefined) return 'not ours';
  if (isWaiting(state.cells[field])) return stuck_at === null ? 'pending' : 'stuck';
  if (state.observed === undefined || state.mustLook) return 'unknown';
  if (!differing.includes(field)) return 'settled';
  const isHeld = held.some(({ kind }) => listChangedFields(kind).some((name) => name === field));
  return isHeld ? 'held' : 'drifted';
}

/** The owner of an ordinary attribute. */
export function toOwner({ origin }: Pick<ResourceRow, 'origin'>, value: unknown): string | null {
  if (value === undefined) return null;
  return origin === null ? 'service' : 'provider';
}

interface Ruled<Field extends string> {
  readonly book: RuleBook;
  readonly rulings: Rulings<Field>;
  readonly urn: string;
}

/** The owner of a field of an extension, with a note of the rule that does not apply. */
export function toRuledOwner<Field extends string>(
  { row, state: { cells } }: Pick<Explained<Field>, 'row' | 'state'>,
  { book, rulings, urn }: Ruled<Field>,
  field: Field,
): Pick<OpsJson<'Field'>, 'from' | 'note'> {
  const attributes = parseStored<JsonObject>(row.attributes);
  const ruling = row.origin === null ? undefined : rulings[field];
  const text = ruling && toRuleWords(book, ruling.rule);
  if (isAsked({ attributes, cells, urn }, field)) {
    const from = toOwner(row, true);
    return text === undefined ? { from } : { from, note: `It goes before ${text}.` };
  }
  if (toExtension(attributes, urn)[field] === undefined) {
    if (text === undefined) return { from: null };
    return { from: null, note: `${text} does not apply: the person is protected.` };
  }
  if (cells[field]?.source?.by === 'service')
    return { from: 'service', note: 'As it was at the takeover.' };
  return { from: text ?? REPLACED };
}

/** Owner of what a rule gave that is there no more. */
export const REPLACED = 'a rule that is being replaced';

/** A rule by its place in the list and its text. */
export function toRuleWords({ rules }: RuleBook, number: number): string {
  const rule = rules[number - 1];
  return `rule ${number}: ${rule ? toRuleText(rule) : '(gone)'}`;
}

/** One link with its standing. @param from its owner. @param isHeld a plan holds a change of it back */
export function toExplainedLink(
  link: LinkView,
  from: string | null,
  isHeld: boolean,
): OpsJson<'Member'> {
  const { desired, observed, pending, stuck_at } = link;
  const toLinkStanding = (): Standing => {
    if (pending !== null) return stuck_at === null ? 'pending' : 'stuck';
    if (desired === null) return 'not ours';
    if (observed === null) return 'unknown';
    if (desired === observed) return 'settled';
    return isHeld ? 'held' : 'drifted';
  };
  const standing = toLinkStanding();
  return toView('Member', link, { from: desired === null ? null : from, standing });
}

/** Attributes of a person that the service has a place for. */
export const HELD_OF_USER: ReadonlySet<string> = new Set([
  ...['userName', 'name', 'emails', 'active'],
  USER_EXTENSION,
]);

/** Attributes of a group that the service has a place for. */
export const HELD_OF_GROUP: ReadonlySet<string> = new Set(['displayName', GROUP_EXTENSION]);

/** The attributes that the service has no place for, so that the bridge alone keeps them. */
export function listKept(row: ResourceRow, known: ReadonlySet<string>): OpsJson<'Field'>[] {
  if (row.origin === null) return [];
  const { schemas: _, ...attributes } = parseStored<JsonObject>(row.attributes);
  const kept = Object.entries(attributes).filter(([name]) => !known.has(name));
  const rest = { observed: null, from: 'provider', standing: 'bridge only' } as const;
  return kept.map(([field, desired]) => ({ field, desired, ...rest }));
}
