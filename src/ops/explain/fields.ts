import { type Cells, isWaiting } from '../../domain/cell.ts';
import { isAsked } from '../../domain/combine.ts';
import { GROUP_EXTENSION, toExtension, USER_EXTENSION } from '../../domain/extensions.ts';
import type { GroupState } from '../../domain/group.ts';
import type { JsonObject, JsonValue } from '../../domain/json.ts';
import type { RuleBook, Rulings } from '../../domain/rule-book.ts';
import { toRuleText } from '../../domain/rules.ts';
import type { UserState } from '../../domain/user.ts';
import { parseStored } from '../../store/engine/columns.ts';
import type { LinkView } from '../../store/resources/explained.ts';
import type { ResourceRow } from '../../store/resources/rows.ts';
import type { Origin } from '../../store/schema.ts';
import { toMoment } from '../http/moment.ts';
import type { OpsJson } from '../schemas/schemas.ts';

/** A user or group whose fields are explained. */
interface Explained<Field extends string> {
  readonly row: { readonly origin: Origin | null; readonly stuck_at: number | null };
  readonly state: {
    readonly observed?: object | undefined;
    readonly mustLook: boolean;
    readonly cells: Cells<Field>;
  };
  /** Fields in which the service holds something else. */
  readonly differing: readonly Field[];
}

/** Explains fields that a provider or a rule may want, each with what the service holds. */
export function createFieldTeller<Field extends string>({
  row,
  state,
  differing,
}: Explained<Field>) {
  const { origin, stuck_at } = row;
  const isSeen = state.observed !== undefined && !state.mustLook;
  const toStanding = (
    field: Field,
    wanted: JsonValue | undefined,
  ): OpsJson<'Member'>['standing'] => {
    if (origin === null || wanted === undefined) return 'not ours';
    if (isWaiting(state.cells[field])) return stuck_at === null ? 'pending' : 'stuck';
    if (!isSeen) return 'unknown';
    return differing.includes(field) ? 'drifted' : 'settled';
  };
  return (field: Field, wanted: JsonValue | undefined, held: JsonValue) => ({
    field,
    desired: origin === null ? null : (wanted ?? null),
    observed: held,
    from: toOwner(origin, wanted),
    standing: toStanding(field, wanted),
  });
}

/** The owner of an ordinary attribute. */
export function toOwner(origin: Origin | null, value: JsonValue | undefined): string | null {
  if (value === undefined) return null;
  return origin === null ? 'service' : 'provider';
}

/** A field of an extension, which a provider or a rule may want. */
interface RuledField<Field extends string> {
  readonly field: Field;
  readonly attributes: JsonObject;
  readonly cells: Cells<Field>;
  readonly rulings: Rulings<Field>;
  readonly urn: string;
  readonly origin: Origin | null;
}

/** The owner of a field of an extension, with a note of the rule that does not apply. */
export function toRuledOwner<Field extends string>(
  book: RuleBook,
  { field, attributes, cells, rulings, urn, origin }: RuledField<Field>,
): Pick<OpsJson<'Field'>, 'from' | 'note'> {
  const ruling = origin === null ? undefined : rulings[field];
  const text = ruling && toRuleWords(book, ruling.rule);
  if (isAsked({ attributes, cells, urn }, field)) {
    const from = toOwner(origin, true);
    return text === undefined ? { from } : { from, note: `It goes before ${text}.` };
  }
  if (toExtension(attributes, urn)[field] === undefined) {
    return text === undefined
      ? { from: null }
      : { from: null, note: `${text} does not apply: the person is protected.` };
  }
  if (cells[field]?.source?.by === 'service')
    return { from: 'service', note: 'As it was at the takeover.' };
  return { from: text ?? 'a rule that is being replaced' };
}

/** A rule by its place in the list and its text. */
export function toRuleWords({ rules }: RuleBook, number: number): string {
  const rule = rules[number - 1];
  return `rule ${number}: ${rule ? toRuleText(rule) : '(gone)'}`;
}

/** Links of one list that are shown; the others are counted. */
export const LINKS_MAX = 200;

/** One link with its standing. @param from its owner */
export function toExplainedLink(link: LinkView, from: string | null): OpsJson<'Member'> {
  const { id, name, desired, observed } = link;
  return {
    id,
    name,
    desired: toFlag(desired),
    observed: toFlag(observed),
    from: desired === null ? null : from,
    standing: toLinkStanding(link),
  };
}

function toFlag(value: number | null): boolean | null {
  return value === null ? null : value === 1;
}

function toLinkStanding({
  desired,
  observed,
  pending,
  stuck_at,
}: LinkView): OpsJson<'Member'>['standing'] {
  if (pending !== null) return stuck_at === null ? 'pending' : 'stuck';
  if (desired === null) return 'not ours';
  if (observed === null) return 'unknown';
  return desired === observed ? 'settled' : 'drifted';
}

/** The part of an explanation that is about the resource as a whole. */
export function toHead(
  row: ResourceRow,
  { observed }: Pick<UserState | GroupState, 'observed'>,
): Omit<
  OpsJson<'Explanation'>,
  'type' | 'name' | 'upstream' | 'fields' | 'groups' | 'members' | 'admins' | 'more'
> {
  return {
    id: row.id,
    managed: row.origin ?? 'no',
    provider: row.origin === null ? null : row.provider,
    handling: null,
    deleted: row.deleted_at !== null,
    version: row.version,
    seen: observed ? { at: toMoment(observed.at), by: observed.by } : null,
    dueAt: toMoment(row.due_at),
    problem: row.last_error === null ? null : parseStored(row.last_error),
  };
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
  return Object.entries(attributes)
    .filter(([name]) => !known.has(name))
    .map(([field, desired]) => ({
      field,
      desired,
      observed: null,
      from: 'provider',
      standing: 'bridge only',
    }));
}
